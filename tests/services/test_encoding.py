"""A database that does not keep texts in UTF-8 is refused before there is a table in it."""

from pathlib import Path

import psycopg
import pytest

from tests.servers import Postgres, product

pytestmark = pytest.mark.services


@pytest.mark.parametrize("encoding", ["SQL_ASCII", pytest.param("EUC_KR", marks=pytest.mark.slow)])
def test_another_encoding_is_refused(postgres: Postgres, tmp_path: Path, encoding: str) -> None:
    with psycopg.connect(postgres.url, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {encoding.lower()} TEMPLATE template0"
            f" ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
    url = postgres.url.rpartition("/")[0] + f"/{encoding.lower()}"
    done = product("manage.py", "migrate", DATABASE_URL=url, DATA_DIR=str(tmp_path))
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert encoding in done.stderr
    with psycopg.connect(url) as connection:
        tables = "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
        assert connection.execute(tables).fetchone() == (0,)
