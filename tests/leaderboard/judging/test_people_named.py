"""The judge's columns that name a person: why none is in one's own data, and all stay nameless."""

from django.apps import apps
from django.db.models import ForeignKey

from leaderboard.accounts.models import User

DECIDED = "what an organizer decided stands in `decisions`, by an account that may have no name"
NOT_EXPORTED = {
    "JudgeConfig.created_by": DECIDED,
    "AgreementReport.uploaded_by": DECIDED,
    "Artefact.reviewed_by": DECIDED,
    "Repeat.begun_by": DECIDED,
    "Judging.requested_by": "that a file of the team was judged is on its page; who asked is a key",
}


def test_every_column_that_names_a_person_has_a_reason() -> None:
    found = {
        f"{model.__name__}.{field.name}"
        for model in apps.get_app_config("judging").get_models(include_auto_created=True)
        for field in model._meta.concrete_fields
        if isinstance(field, ForeignKey) and field.related_model is User
    }
    assert found == NOT_EXPORTED.keys()
