"""Accounts in the administrator's pages."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from leaderboard.accounts.models import User

admin.site.register(User, UserAdmin)
