"""Steps of the random walk that bring people in, move them, give them roles, and let them go."""

from typing import ClassVar
from uuid import uuid4

from django.db.models import Count

from leaderboard.accounts.models import User
from leaderboard.actions.announcements import announce, correct_announcement
from leaderboard.actions.classes import enrol_class, preview_class
from leaderboard.actions.closing import close_account
from leaderboard.actions.competition import (
    change_registration,
    change_terms,
    create_competition,
    edit_competition,
    preview_edit,
)
from leaderboard.actions.data_files import (
    add_data_file,
    describe_data_file,
    move_data_file,
    remove_data_file,
)
from leaderboard.actions.discipline import appoint_captain, warn
from leaderboard.actions.ending import archive
from leaderboard.actions.invitations import (
    accept,
    decline,
    invite_by_code,
    invite_person,
    revoke,
)
from leaderboard.actions.membership import hand_over, leave, remove_member
from leaderboard.actions.people import (
    appoint,
    dismiss,
    end_all_sessions,
    make_password_link,
    use_password_link,
)
from leaderboard.actions.registration import accept_terms, decide_request, join, request_to_join
from leaderboard.actions.regrouping import put_in_team
from leaderboard.actions.schedule import hold_reveal, pause, resume
from leaderboard.actions.teams import grant, rename_team
from leaderboard.community.models import Announcement
from leaderboard.competitions.models import Competition, DataFile
from leaderboard.competitions.registration import newest_terms
from leaderboard.contest_file.cloning import clone
from leaderboard.contest_file.export import export_competition, package
from leaderboard.contest_file.import_competition import import_competition
from leaderboard.submissions.queries import Upload
from leaderboard.teams.models import Invitation, JoinRequest, Membership, Team
from tests.leaderboard import builders
from tests.leaderboard.builders import CLOSES, NOON, OPENS, REVEALS
from tests.services.walker import PEOPLE, Walker

PASSWORD = "주전자-4821-도서관"  # that a link sets


class PeopleSteps(Walker):
    WEIGHTS: ClassVar[dict[str, int]] = {
        "join": 20,
        "request_to_join": 2,
        "decide_request": 3,
        "accept_terms": 12,
        "put_in_team": 15,
        "rename_team": 5,
        "invite": 10,
        "accept": 15,
        "decline": 2,
        "leave": 6,
        "remove_member": 3,
        "hand_over": 3,
        "appoint_captain": 6,
        "enrol_class": 2,
        "close_account": 8,
        "password_link": 2,
        "end_all_sessions": 2,
        "grant": 6,
        "warn": 3,
        "announce": 3,
        "correct_announcement": 2,
        "appoint": 3,
        "dismiss": 3,
        "pause": 1,
        "resume": 6,
        "hold_reveal": 2,
        "edit_competition": 3,
        "change_registration": 1,
        "open_registration": 4,
        "change_terms": 1,
        "add_data_file": 1,
        "describe_data_file": 1,
        "move_data_file": 1,
        "remove_data_file": 1,
        "export": 3,
        "clone": 1,
        "create_competition": 1,
        "archive": 1,
    }

    def archive(self) -> None:
        """For a moment, in which all else is refused."""
        who = {"competition": self.contest(), "user": self.olivia, "at": NOON}
        archive(archived=True, **who)
        archive(archived=False, **who)

    def join(self) -> None:
        """Into either contest, often under a name that somebody has or is just taking."""
        contest = Competition.objects.get(pk=self.contest().pk)
        due = newest_terms(contest)
        name = self.one([None, f"팀 {self.dice.randrange(6)}", "탈퇴한 팀"])
        terms = due.number if due else None
        join(user=self.person(), competition=contest, team_name=name, terms=terms, at=OPENS)

    def request_to_join(self) -> None:
        """Into a contest that has just begun to ask for approval."""
        contest = self.contest()
        change_registration(competition=contest, user=self.olivia, registration="approval", at=NOON)
        contest.refresh_from_db()
        due = newest_terms(contest)
        terms = due.number if due else None
        request_to_join(user=self.person(), competition=contest, terms=terms, at=OPENS)

    def decide_request(self) -> bool:
        waiting = JoinRequest.objects.select_related("competition")
        if not waiting.exists():
            self.request_to_join()
        if (found := self.one(waiting)) is None:
            return False
        approve = self.dice.random() < 0.7
        decide_request(request=found, user=self.organizer(), approve=approve, at=OPENS)
        return True

    def accept_terms(self) -> bool:
        contest = self.contest()
        due = newest_terms(contest)
        if due is None:
            return False
        for person in User.objects.filter(memberships__competition=contest)[:5]:
            accept_terms(user=person, competition=contest, number=due.number, at=NOON)
        return True

    def put_in_team(self) -> bool:
        team = self.team()
        if team is None:
            return False
        name = f"guest{self.dice.randrange(PEOPLE)}"
        put_in_team(
            competition=team.competition, user=self.organizer(), username=name, team=team, at=NOON
        )
        return True

    def rename_team(self) -> bool:
        """By a member, often to a name that another team has or is just taking."""
        name = f"팀 {self.dice.randrange(6)}"
        team = self.team()
        person = User.objects.filter(memberships__team=team).first() if team else None
        if team is None or person is None:
            return False
        rename_team(team=team, user=person, name=name, at=NOON)
        return True

    def invite(self) -> bool:
        """A person of those who come and go, by name, or whoever comes by a code."""
        team = self.team()
        if team is None or team.captain is None:
            return False
        if self.dice.random() < 0.5:
            name = self.person().username
            invite_person(team=team, user=team.captain, username=name, at=NOON)
        else:
            uses = self.dice.choice([None, 1, 2])
            made, _ = invite_by_code(team=team, user=team.captain, max_uses=uses, at=NOON)
            if self.dice.random() < 0.2:
                revoke(team=team, user=team.captain, invitation=made.pk, at=NOON)
        return True

    def accept(self) -> bool:
        """Mostly by whom it is for, often after it was used up or the team filled."""
        if (found := self.invitation()) is None:
            return False
        due = newest_terms(found.team.competition)
        user = found.invitee or self.person()
        accept(invitation=found, user=user, terms=due.number if due else None, at=NOON)
        return True

    def decline(self) -> bool:
        found = self.invitation()
        if found is None or found.invitee is None:
            return False
        decline(invitation=found, user=found.invitee, at=NOON)
        return True

    def invitation(self) -> Invitation | None:
        found: Invitation | None = self.one(
            Invitation.objects.select_related("team__competition", "invitee", "created_by")
        )
        return found

    def leave(self) -> bool:
        membership = self.membership()
        if membership is None:
            return False
        leave(team=membership.team, user=membership.user, at=NOON)
        return True

    def remove_member(self) -> bool:
        membership = self.membership()
        if membership is None or membership.team.captain is None:
            return False
        name, team = membership.user.username, membership.team
        remove_member(team=team, user=membership.team.captain, username=name, at=NOON)
        return True

    def hand_over(self) -> bool:
        membership = self.membership()
        if membership is None or membership.team.captain is None:
            return False
        name, team = membership.user.username, membership.team
        hand_over(team=team, user=membership.team.captain, username=name, at=NOON)
        return True

    def appoint_captain(self) -> bool:
        membership = self.membership()
        if membership is None:
            return False
        name, team = membership.user.username, membership.team
        appoint_captain(
            team=team, user=self.organizer(), username=name, reason="연락 없음", at=NOON
        )
        return True

    def membership(self) -> Membership | None:
        """A member of a team of several, if there is one."""
        rows = Membership.objects.annotate(people=Count("team__memberships"))
        found: Membership | None = self.one(
            rows.filter(people__gt=1).select_related("team__captain", "user")
        )
        return found

    def enrol_class(self) -> None:
        numbers = self.dice.sample(range(PEOPLE), 3)
        team = f"조 {self.dice.randrange(3)}"
        rows = "".join(f"guest{n},{team}\n" for n in numbers)
        data = f"username,team\n{rows}".encode()
        contest = self.contest()
        seen = preview_class(competition=contest, user=self.olivia, data=data, at=NOON).digest
        enrol_class(competition=contest, user=self.olivia, data=data, seen=seen, at=NOON)

    def close_account(self) -> bool:
        name = f"guest{self.dice.randrange(PEOPLE)}"
        person = User.objects.filter(username=name).first()
        if person is None:
            return False
        own = f"{name}-secret"
        close_account(
            user=person, password=own if person.check_password(own) else PASSWORD, at=NOON
        )
        return True

    def end_all_sessions(self) -> None:
        end_all_sessions(user=self.person(), at=NOON)

    def password_link(self) -> None:
        token = make_password_link(user=self.person(), made_by=None, at=NOON)
        use_password_link(token=token, password=PASSWORD, at=NOON)

    def grant(self) -> None:
        team = self.team()
        grant(team=team, user=self.organizer(), amount=1, reason="서버 장애", at=NOON)

    def warn(self) -> None:
        warn(team=self.team(), user=self.organizer(), reason="규칙을 다시 읽어 주세요", at=NOON)

    def announce(self) -> None:
        contest = self.contest()
        teams = list(Team.objects.filter(competition=contest).order_by("?")[:3])
        audience = self.one(["all", "no_submission", "teams"])
        announce(
            competition=contest,
            user=self.organizer(),
            text="알림",
            audience=audience,
            teams=teams if audience == "teams" else (),
            at=NOON,
        )

    def correct_announcement(self) -> bool:
        said = Announcement.objects.select_related("competition")
        if not said.exists():
            self.announce()
        if (found := self.one(said)) is None:
            return False
        words = f"고친 알림 {self.dice.randrange(1000)}"
        correct_announcement(announcement=found, user=self.organizer(), text=words, at=NOON)
        return True

    def appoint(self) -> None:
        role = self.one(["owner", "editor", "editor", "assistant"])
        name = self.person().username
        appoint(
            competition=self.contest(), user=self.organizer(), username=name, role=role, at=NOON
        )

    def dismiss(self) -> None:
        contest = self.contest()
        found = self.one(contest.organizers.exclude(user=self.olivia).select_related("user"))
        name = found.user.username if found else "guest0"
        dismiss(competition=contest, user=self.organizer(), username=name, at=NOON)

    def pause(self) -> None:
        pause(competition=self.competition, user=self.organizer(), reason="점검", at=NOON)

    def resume(self) -> None:
        resume(competition=self.competition, user=self.olivia, at=NOON)

    def hold_reveal(self) -> None:
        held = self.dice.random() < 0.5
        hold_reveal(competition=self.competition, user=self.organizer(), held=held, at=NOON)

    def edit_competition(self) -> bool:
        now = Competition.objects.get(pk=self.competition.pk)
        rule = self.one(Competition.FinalsRule.values)
        wanted = {"finals_rule": rule}
        user = self.organizer()
        seen = preview_edit(competition=now, user=user, wanted=wanted, at=NOON).digest
        made = edit_competition(competition=now, user=user, wanted=wanted, seen=seen, at=NOON)
        return bool(made.changes)

    def change_registration(self) -> None:
        kind = self.one(["open", "approval", "approval", "code"])
        contest = self.contest()
        change_registration(
            competition=contest,
            user=self.organizer(),
            registration=kind,
            code=f"walk-{contest.slug}" if kind == "code" else "",
            emails=[f"g{self.dice.randrange(9)}@example.org" for _ in range(3)],
            at=NOON,
        )

    def open_registration(self) -> None:
        """So that most people can join most of the time."""
        change_registration(
            competition=self.contest(), user=self.olivia, registration="open", at=NOON
        )

    def change_terms(self) -> None:
        text = self.one(["", "", "데이터를 밖으로 내보내지 않는다.", "한 사람은 한 팀에만 든다."])
        change_terms(competition=self.competition, user=self.organizer(), text=text, at=NOON)

    def data_file(self) -> DataFile | None:
        return self.one(self.competition.data_files.select_related("competition"))

    def add_data_file(self) -> None:
        upload = Upload(f"data{self.dice.randrange(6)}.csv", b"a,b\n")
        add_data_file(competition=self.competition, user=self.organizer(), upload=upload, at=NOON)

    def describe_data_file(self) -> bool:
        if (found := self.data_file()) is None:
            return False
        said = f"설명 {self.dice.randrange(3)}"
        describe_data_file(
            data_file=found, user=self.organizer(), description=said, description_en="", at=NOON
        )
        return True

    def move_data_file(self) -> bool:
        if (found := self.data_file()) is None:
            return False
        move_data_file(data_file=found, user=self.organizer(), places=1, at=NOON)
        return True

    def remove_data_file(self) -> bool:
        if (found := self.data_file()) is None:
            return False
        remove_data_file(data_file=found, user=self.organizer(), at=NOON)
        return True

    def export(self) -> None:
        export_competition(competition=self.competition, user=self.olivia, full=True, at=NOON)
        package(self.competition, full=True)

    def clone(self) -> None:
        found = clone(self.competition, slug=f"copy-{uuid4().hex[:8]}", at=NOON)
        assert found.contest is not None, found.problems
        import_competition(contest=found.contest, owner=self.olivia, asked_by=None, at=NOON)

    def create_competition(self) -> None:
        slug = f"new-{self.dice.randrange(4)}"
        create_competition(
            owner=builders.creator(),
            at=OPENS,
            slug=slug,
            title=slug,
            opens_at=OPENS,
            closes_at=CLOSES,
            reveals_at=REVEALS,
            zone="Asia/Seoul",
        )
