# One image for web, worker and sweeper; compose.yaml shows how they are started, all read-only.
# The tag is exact; a digest holds the very bytes, where your registry answers:
# `docker buildx imagetools inspect python:3.11.14-slim-trixie` says it, and @sha256:… goes behind.
FROM python:3.11.14-slim-trixie AS packages
# More than web, worker and sweeper need: a judge's worker asks for requirements-judge.txt.
ARG EXTRA=""
COPY requirements*.txt ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements-prod.txt ${EXTRA:+-r $EXTRA}

FROM python:3.11.14-slim-trixie
ENV PATH=/venv/bin:/usr/local/bin:/usr/bin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data HOST=0.0.0.0
# For backup and restore: of the major version of compose.yaml's server, which is this Debian's.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --home-dir /data leaderboard && install -d -o leaderboard -m 700 /data
WORKDIR /app
COPY --from=packages /venv /venv
COPY manage.py gunicorn.conf.py requirements.txt CHANGELOG.md LICENSE ./
COPY scoring scoring
COPY leaderboard leaderboard
COPY templates templates
COPY locale locale

USER leaderboard
VOLUME /data
EXPOSE 8000
CMD ["sh", "-c", "python manage.py collectstatic --no-input -v0 && exec gunicorn leaderboard.wsgi"]
