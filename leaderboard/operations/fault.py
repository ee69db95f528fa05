"""What can be wrong with an installation: each in words, with what to do next."""

from django.utils.translation import gettext_lazy as _

from leaderboard.texts import Said, Sentences

ROOM = Sentences(
    _("{free} MB are free on the disk of DATA_DIR."),
    _("Free some space: below 25 MB no file is accepted. ALARM_DISK_MB sets this alarm's limit."),
)


class Fault(Said):
    """Something that is wrong now. The code (before a dot) is the kind that an alarm has."""

    sentences = {
        "database": Sentences(
            _("The database ({database}) does not answer: {why}"),
            _("Start it, or check DATABASE_URL. Behind PgBouncer, set DATABASE_POOLED=1."),
        ),
        "migrations": Sentences(
            _("Migrations are missing in {database}."),
            _("If this is the right database, run manage.py migrate."),
        ),
        "settings": Sentences("{said}", "{hint}"),
        "address.away": Sentences(
            _("{url} does not answer: {why}."),
            _("Check BASE_URL, the proxy's log and the DNS entry of the name."),
        ),
        "address.other": Sentences(
            _("{url} answers {status}, and the answer is not from this server."),
            _(
                "Point the proxy here, forward the Host (ALLOWED_HOSTS) and set X-Forwarded-Proto "
                "(FORWARDED_ALLOW_IPS)."
            ),
        ),
        "address.proxies": Sentences(
            _("{named} proxies send a client address at {url}, but TRUSTED_PROXIES is {trusted}."),
            _(
                "Make each proxy send X-Forwarded-For, and set TRUSTED_PROXIES to the number of "
                "proxies in front. Otherwise, all people share one address."
            ),
        ),
        "address.open": Sentences(
            _("HOST is {host}, and TRUSTED_PROXIES is 0: slow connections can stop the pages."),
            _("Set HOST to 127.0.0.1, or put nginx.conf in front and set TRUSTED_PROXIES."),
        ),
        "certificate.ends": Sentences(
            _("The certificate of {host} ends in {days} days."),
            _("Renew it, and reload the proxy."),
        ),
        "certificate.refused": Sentences(
            _("The certificate of {host} is refused: {why}."),
            _("Install the whole chain of a certificate for this name."),
        ),
        "clock": Sentences(
            _("The clock of {name} differs from the database's by {seconds} s."),
            _("Set the clock of that machine by NTP."),
        ),
        "store": Sentences(
            _("A file cannot be written, read and removed in {place}."),
            _(
                "Check the disk's space and owner, or STORAGE_URL and "
                "the permissions of its account."
            ),
        ),
        "store.bucket": Sentences(
            _("The bucket {bucket} cannot store and return a file of {place}: {why}."),
            _("Check STORAGE_URL: the bucket's name, endpoint and key, and the key's permissions."),
        ),
        "store.missing": Sentences(
            _("The folder of submissions is empty, but the database has submissions."),
            _("Mount the folder that the other machines use, or check DATA_DIR."),
        ),
        "broker": Sentences(
            _("A message does not come back from the broker: {why}."),
            _("Start it, or check CELERY_BROKER_URL. Files are still scored, a few seconds later."),
        ),
        "waiting": Sentences(
            _("Scoring has stopped for {seconds} s: {waiting} waiting, {workers} workers alive."),
            _("Start a worker, or restart one that is alive but takes no work."),
        ),
        "waiting_long": Sentences(
            _(
                "Scoring has stopped for over two minutes: {waiting} "
                "waiting, {workers} workers alive."
            ),
            _("Start a worker now, on any machine that can reach the database and the storage."),
        ),
        "silent": Sentences(
            _("No process reports this work: {work}."),
            _("Start gunicorn (web), a worker (score) or manage.py sweeper, and read its log."),
        ),
        "version": Sentences(
            _("{name} runs {there}, but this code is {here}."),
            _("Restart it, or check which machine still runs the old code."),
        ),
        "disk": ROOM,
        "disk.full": ROOM,
        "readable": Sentences(
            _("Other users of this machine can read {paths}."),
            _("Remove their access to DATA_DIR and to files stored elsewhere: chmod -R go= PATH"),
        ),
        "failures": Sentences(
            _("{failed} of the {ended} evaluations of the last hour failed."),
            _("Read the worker's log. Then rescore them on the organizer pages."),
        ),
        "versions": Sentences(
            _("Scoring versions fail and are retried: {codes}."),
            _("Read the worker's log, and the scoring page of the contest."),
        ),
        "mail": Sentences(
            _("A mail has waited for over an hour."),
            _("Check EMAIL_URL and the mail server's answers in the sweeper's log."),
        ),
        "backup.failed": Sentences(
            _("The last backup failed: {why}."),
            _("Run manage.py backup by hand. It shows what to do."),
        ),
        "backup.old": Sentences(
            _("The newest backup is {hours} hours old."),
            _("Check the daily timer, and run manage.py backup."),
        ),
        "check": Sentences(
            _("The check of {name} failed with an error: {why}."), _("Read this process's log.")
        ),
    }
