"""Django's names of the apps that set nothing up when they start."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "leaderboard.accounts"
    verbose_name = "계정"


class AuditConfig(AppConfig):
    name = "leaderboard.audit"
    verbose_name = "감사 기록"


class InboxConfig(AppConfig):
    name = "leaderboard.inbox"
    verbose_name = "알림"


class OutboxConfig(AppConfig):
    name = "leaderboard.outbox"
    verbose_name = "보낼 메시지"


class CompetitionsConfig(AppConfig):
    name = "leaderboard.competitions"
    verbose_name = "대회"


class TeamsConfig(AppConfig):
    name = "leaderboard.teams"
    verbose_name = "팀"


class ReferencesConfig(AppConfig):
    name = "leaderboard.references"
    verbose_name = "정답"


class SubmissionsConfig(AppConfig):
    name = "leaderboard.submissions"
    verbose_name = "제출"


class EvaluationConfig(AppConfig):
    name = "leaderboard.evaluation"
    verbose_name = "채점"


class CommunityConfig(AppConfig):
    name = "leaderboard.community"
    verbose_name = "공지와 게시판"


class BoardsConfig(AppConfig):
    name = "leaderboard.boards"
    verbose_name = "순위표"
