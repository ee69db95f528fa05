"""What templates say of a judge's metrics."""

from django import template

from leaderboard.boards.judged import judge_label

register = template.Library()

register.filter("judge_label", judge_label)
