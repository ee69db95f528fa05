# One image for web, worker and sweeper; compose.yaml shows how they are started, all read-only.
# The tag is exact; a digest holds the very bytes, where your registry answers:
# `docker buildx imagetools inspect python:3.11.14-slim-trixie` says it, and @sha256:… goes behind.
FROM python:3.11.14-slim-trixie AS packages
# Backup and restore need two programs, of the major version of compose.yaml's server, which is this
# Debian's. The package itself brings Perl.
RUN apt-get update && apt-get install --yes --no-install-recommends postgresql-client-17
# More than web, worker and sweeper need: a judge's worker asks for requirements-judge.txt.
ARG EXTRA=""
COPY requirements*.txt ./
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements-prod.txt ${EXTRA:+-r $EXTRA}
# Nothing here runs the tests of pandas and numpy, or installs more packages: 80 MB.
RUN cd /venv/lib/python3.11/site-packages && rm -r pandas/tests numpy/tests numpy/*/tests && /venv/bin/pip uninstall --yes setuptools pip

FROM python:3.11.14-slim-trixie
ENV PATH=/venv/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 DATA_DIR=/data HOST=0.0.0.0
RUN apt-get update && apt-get install --yes --no-install-recommends libpq5 && rm -rf /var/lib/apt/lists/*
COPY --from=packages /usr/lib/postgresql/17/bin/pg_dump /usr/lib/postgresql/17/bin/pg_restore /usr/local/bin/
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
