"""What can be wrong with an installation: each in words, with what to do next."""

from django.utils.translation import gettext_lazy as _

from leaderboard.texts import Said, Sentences

ROOM = Sentences(
    _("{free} MB are free on the disk of DATA_DIR."),
    _("Make room: below 25 MB no file is taken. ALARM_DISK_MB is the bound."),
)


class Fault(Said):
    """Something that is wrong now. The code (before a dot) is the kind that an alarm has."""

    sentences = {
        "database": Sentences(
            _("The database ({database}) does not answer: {why}"),
            _("Start it, or look at DATABASE_URL; behind PgBouncer set DATABASE_POOLED=1."),
        ),
        "migrations": Sentences(
            _("Migrations are missing in {database}."),
            _("If that is the one you mean, run manage.py migrate."),
        ),
        "settings": Sentences("{said}", "{hint}"),
        "address.away": Sentences(
            _("{url} does not answer: {why}."),
            _("Look at BASE_URL, at the proxy's log and at the name's entry in the DNS."),
        ),
        "address.other": Sentences(
            _("{url} answers {status}, and not as this server does."),
            _(
                "Let the proxy lead here, pass the Host on (ALLOWED_HOSTS) and set "
                "X-Forwarded-Proto (FORWARDED_ALLOW_IPS)."
            ),
        ),
        "address.proxies": Sentences(
            _("{named} proxies say whom they ask for at {url}, and TRUSTED_PROXIES is {trusted}."),
            _(
                "Let each proxy set X-Forwarded-For, and set TRUSTED_PROXIES to the number of "
                "proxies in front: else all people share one address here."
            ),
        ),
        "address.open": Sentences(
            _("HOST is {host}, and TRUSTED_PROXIES is 0: slow connections can stop the pages."),
            _("Set HOST to 127.0.0.1, or put nginx.conf in front and set TRUSTED_PROXIES."),
        ),
        "certificate.ends": Sentences(
            _("The certificate of {host} ends in {days} days."),
            _("Renew it, and let the proxy read it again."),
        ),
        "certificate.refused": Sentences(
            _("The certificate of {host} is refused: {why}."),
            _("Install the whole chain of a certificate for this name."),
        ),
        "clock": Sentences(
            _("The clock of {name} is {seconds} s off the database's."),
            _("Set the clock of that machine by NTP."),
        ),
        "store": Sentences(
            _("A file cannot be written, read and removed in {place}."),
            _("Look at the disk's space and owner, or at STORAGE_URL and what its account may do."),
        ),
        "store.bucket": Sentences(
            _("The bucket {bucket} does not take and give back a file of {place}: {why}."),
            _("Look at STORAGE_URL: the bucket's name, endpoint and key, and what the key may do."),
        ),
        "store.missing": Sentences(
            _("The folder of submissions is empty, and the database names submissions."),
            _("Mount the folder that the other machines use, or look at DATA_DIR."),
        ),
        "broker": Sentences(
            _("A message does not come back from the broker: {why}."),
            _("Start it, or look at CELERY_BROKER_URL. Files are scored meanwhile, seconds later."),
        ),
        "waiting": Sentences(
            _("Scoring stands still for {seconds} s: {waiting} wait, {workers} workers live."),
            _("Start a worker, or restart one that lives and takes nothing."),
        ),
        "waiting_long": Sentences(
            _("Scoring stands still for over two minutes: {waiting} wait, {workers} workers live."),
            _("Start a worker now, on any machine that reaches database and store."),
        ),
        "silent": Sentences(
            _("No process gives a sign of this work: {work}."),
            _("Start gunicorn (web), a worker (score) or manage.py sweeper, and read its log."),
        ),
        "version": Sentences(
            _("{name} runs {there}, and this code is {here}."),
            _("Restart it, or look which machine still has the old code."),
        ),
        "disk": ROOM,
        "disk.full": ROOM,
        "readable": Sentences(
            _("Other users of this machine can read {paths}."),
            _("Close DATA_DIR, and what is kept elsewhere, to them: chmod -R go= PATH"),
        ),
        "failures": Sentences(
            _("{failed} of the {ended} evaluations of the last hour failed."),
            _("Read the worker's log; afterwards the desk scores them again."),
        ),
        "versions": Sentences(
            _("Scoring versions fail and are tried again: {codes}."),
            _("Read the worker's log, and the scoring page of the contest."),
        ),
        "mail": Sentences(
            _("A mail has waited for over an hour."),
            _("Look at EMAIL_URL and at the mail server's answers in the sweeper's log."),
        ),
        "backup.failed": Sentences(
            _("The last backup failed: {why}."),
            _("Run manage.py backup by hand: it says what to do."),
        ),
        "backup.old": Sentences(
            _("The newest backup is {hours} hours old."),
            _("Look at the timer that makes one a day, and run manage.py backup."),
        ),
        "check": Sentences(
            _("Looking at {name} ended with an error: {why}."), _("Read this process's log.")
        ),
    }
