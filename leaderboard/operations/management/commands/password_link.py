from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse
from django.utils import timezone

from leaderboard.accounts.models import User
from leaderboard.actions.people import make_password_link
from leaderboard.refusals import Refused


class Command(BaseCommand):
    help = "Print a link with which this person sets a new password, once, within 24 hours."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"No account is named {options['username']}.")
        try:
            token = make_password_link(user=user, made_by=None, at=timezone.now())
        except Refused as refusal:
            raise CommandError(refusal.message("en")) from None
        self.stdout.write(f"{settings.BASE_URL}{reverse('password_link')}?token={token}")
