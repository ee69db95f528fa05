"""Addresses of the judge's pages, below those of their contest."""

from django.urls import include, path

from leaderboard.judging.pages import columns, config, items, results, sections, trust

contest = [
    path("submissions/<uuid:submission_id>/judge", sections.judge_request, name="judge_request"),
    path("desk/judge", columns.desk_judge, name="desk_judge"),
    path("desk/judge/<uuid:judge_id>", config.desk_judge_config, name="desk_judge_config"),
    path("desk/judge/<uuid:judge_id>/copy", columns.desk_judge_copy, name="desk_judge_copy"),
    path(
        "desk/judge/<uuid:judge_id>/items",
        items.desk_judge_items,
        name="desk_judge_items",
    ),
    path(
        "desk/judge/<uuid:judge_id>/flags",
        results.desk_judge_flags,
        name="desk_judge_flags",
    ),
    path(
        "desk/judge/<uuid:judge_id>/compare",
        results.desk_judge_compare,
        name="desk_judge_compare",
    ),
    path(
        "desk/judge/<uuid:judge_id>/agreement",
        trust.desk_judge_agreement,
        name="desk_judge_agreement",
    ),
    path(
        "desk/judge/<uuid:judge_id>/labels.csv",
        trust.desk_judge_labels,
        name="desk_judge_labels",
    ),
]

urlpatterns = [path("c/<slug:slug>/", include(contest))]
