# One image for web, worker and sweeper; compose.yaml shows how they are started.
FROM python:3.11-slim-bookworm

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data HOST=0.0.0.0
WORKDIR /app

# More than web, worker and sweeper need: a judge's worker asks for requirements-judge.txt.
ARG EXTRA=""
COPY requirements*.txt ./
RUN pip install --no-cache-dir -r requirements-prod.txt ${EXTRA:+-r $EXTRA}

COPY manage.py gunicorn.conf.py CHANGELOG.md LICENSE ./
COPY scoring scoring
COPY leaderboard leaderboard
COPY templates templates
COPY locale locale

RUN useradd --system --home-dir /data leaderboard && install -d -o leaderboard -m 700 /data
USER leaderboard
VOLUME /data
EXPOSE 8000
CMD ["sh", "-c", "python manage.py collectstatic --no-input -v0 && exec gunicorn leaderboard.wsgi"]
