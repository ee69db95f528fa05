"""Judging in the administrator's pages, to read. Answers hold participants' texts: not here."""

from django.contrib import admin

from leaderboard.accounts.admin import FactAdmin
from leaderboard.judging.models import Circuit, JudgeConfig, Judging, Reservation


@admin.register(JudgeConfig)
class JudgeConfigAdmin(FactAdmin):
    list_display = ("competition", "number", "label", "state", "pipeline", "endpoint", "model")
    list_filter = ("state",)


@admin.register(Circuit)
class CircuitAdmin(FactAdmin):
    list_display = ("config", "failures", "openings", "open_until", "reason")


@admin.register(Judging)
class JudgingAdmin(FactAdmin):
    list_display = ("requested_at", "config", "submission", "board", "state", "paused", "rows_done")
    list_filter = ("state", "board")


@admin.register(Reservation)
class ReservationAdmin(FactAdmin):
    list_display = ("made_at", "config", "call", "state", "outcome", "micros")
    list_filter = ("state",)
