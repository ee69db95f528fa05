"""The rows of a large contest in SQL; what is derived follows the product's rules."""

# Scores as whole ten-thousandths, so that sums and what is printed agree to the last digit.
DRAW = """
CREATE TEMP TABLE drawn AS
SELECT s.id AS submission, n.evaluation, s.team_id AS team, s.received_at,
    s.submitted_by_id AS person,
    CASE WHEN n.turn %% 2500 = 7 THEN 'cancelled' WHEN n.turn %% 9000 = 8 THEN 'failed'
        ELSE 'done' END AS state,
    n.turn %% 4000 = 9 AS excluded, split.name AS split, split.r1, split.r2, split.rl
FROM submissions_submission s
JOIN (
    SELECT id, gen_random_uuid() AS evaluation, row_number() OVER (ORDER BY received_at) AS turn
    FROM submissions_submission
) n ON n.id = s.id
CROSS JOIN LATERAL (
    SELECT name, own + (random() * 500)::int + s.size %% 300 AS r1,
        own / 2 + (random() * 400)::int + s.size %% 300 AS r2,
        own - 300 + (random() * 500)::int + s.size %% 300 AS rl
    FROM (VALUES ('public'), ('private')) AS both_(name),
        (SELECT 1500 + abs(hashtext(s.team_id::text)) %% 2500 AS own) AS quality
) AS split
"""

# The skeleton of a digit is one letter, whatever stands around it.
PEOPLE = {
    "people": """
INSERT INTO accounts_user (password, is_superuser, first_name, last_name, email, is_staff,
    is_active, date_joined, username, skeleton, language, must_change_password, may_create_contests,
    session_epoch)
SELECT '', false, '', '', '', false, true, %(opened)s, 'operations-' || t,
    %(person_skeleton)s || translate(t, '0123456789', %(digits)s), 'ko', false, false, 0
FROM (SELECT to_char(n, 'FM000000') AS t FROM generate_series(1, %(teams)s) n) numbers
""",
    "teams": """
INSERT INTO teams_team (id, competition_id, name, skeleton, sort_key, captain_id, created_at, kind,
    disqualify_reason)
SELECT gen_random_uuid(), %(contest)s, '팀 ' || n.t, %(team_skeleton)s || translate(n.t,
    '0123456789', %(digits)s), '팀 ' || to_char(length(ltrim(n.t, '0')), 'FM00') || ltrim(n.t, '0'),
    u.id, %(opened)s, 'team', ''
FROM accounts_user u, LATERAL (SELECT substring(u.username FROM 12) AS t) n
WHERE u.username LIKE 'operations-%%'
""",
    "memberships": """
INSERT INTO teams_membership (team_id, competition_id, user_id, joined_at, typed_email, listed_name,
    looking_for_team)
SELECT id, competition_id, captain_id, created_at, '', '', '' FROM teams_team
""",
}

STEPS = PEOPLE | {
    "baselines": """
UPDATE teams_team SET kind = 'baseline'
WHERE id IN (SELECT id FROM teams_team ORDER BY name DESC LIMIT 3)
""",
    "submissions": """
INSERT INTO submissions_submission (id, team_id, origin_id, submitted_by_id, received_at, key, file,
    file_name, size, sha256, notices, note, method_name, is_late)
SELECT gen_random_uuid(), t.id, t.id, t.captain_id, %(opened)s + random() * %(span)s, n::text,
    'submissions/' || t.id || '-' || n, 'predictions-' || n || '.csv',
    90000 + (random() * 20000)::int, md5(random()::text) || md5(random()::text), '[]',
    CASE WHEN n %% 3 = 0 THEN '다시 학습한 모형, 검증 자료에서 나음' ELSE '' END,
    CASE WHEN n %% 2 = 0 THEN 'KoBART, beam 5' ELSE '' END, false
FROM teams_team t, generate_series(1, %(files)s) n
""",
    "drawn": DRAW,
    "evaluations": """
INSERT INTO evaluation_evaluation (id, submission_id, scoring_version_id, state, received_at,
    attempt, stage, rows_done, rows_total, last_sign_at, started_at, finished_at, failure)
SELECT evaluation, submission, %(version)s, state, received_at,
    CASE WHEN state = 'cancelled' THEN 0 ELSE 1 END, '', %(rows)s, %(rows)s,
    received_at + interval '6 seconds', received_at + interval '3 seconds',
    received_at + interval '7 seconds', CASE WHEN state = 'failed' THEN 'crashed' ELSE '' END
FROM drawn WHERE split = 'public'
""",
    "scores": """
INSERT INTO evaluation_splitscore (evaluation_id, split, rows, metrics, total, printed, signature)
SELECT evaluation, split, %(rows)s / 2, jsonb_build_object('rouge1', r1 / 10000.0,
    'rouge2', r2 / 10000.0, 'rougeL', rl / 10000.0), (r1 + r2 + rl) / 10000.0, r1 + r2 + rl,
    %(signature)s
FROM drawn WHERE state = 'done'
""",
    "cancellations": """
INSERT INTO submissions_cancellation (submission_id, cancelled_by_id, at)
SELECT submission, person, received_at FROM drawn WHERE state = 'cancelled' AND split = 'public'
""",
    "exclusions": """
INSERT INTO submissions_exclusion (submission_id, excluded_by_id, at, reason, reason_shown)
SELECT submission, %(olivia)s, received_at, '두 번 냄', true
FROM drawn WHERE excluded AND split = 'public'
""",
    # Of each step of a team the file that stands, then who takes over when.
    "days": """
INSERT INTO boards_standingday (scoring_version_id, team_id, board, printed, metrics, submission_id,
    received_at, entries, last_submission_at, ranked, until, stands_until)
WITH wide AS (
    SELECT p.team, p.submission, p.received_at, p.r1 + p.r2 + p.rl AS total, p.r1, p.r2, p.rl,
        q.r1 AS q1, q.r2 AS q2, q.rl AS ql
    FROM drawn p JOIN drawn q USING (submission)
    WHERE p.split = 'public' AND q.split = 'private' AND p.state = 'done' AND NOT p.excluded
), steps AS (
    SELECT *, row_number() OVER w AS entries, lead(received_at) OVER w AS next_at,
        total > coalesce(max(total) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), -1)
            AS takes_over
    FROM wide WINDOW w AS (PARTITION BY team ORDER BY received_at)
), spans AS (
    SELECT *, count(*) FILTER (WHERE takes_over) OVER (PARTITION BY team ORDER BY received_at)
        AS reign FROM steps
), reigns AS (
    SELECT team AS t, reign AS r, lead(received_at) OVER (PARTITION BY team ORDER BY reign) AS ends
    FROM spans WHERE takes_over
)
SELECT %(version)s, s.team, both_.board,
    CASE both_.board WHEN 'public' THEN b.total ELSE b.q1 + b.q2 + b.ql END,
    CASE both_.board WHEN 'public'
        THEN jsonb_build_object('rouge1', b.r1, 'rouge2', b.r2, 'rougeL', b.rl)
        ELSE jsonb_build_object('rouge1', b.q1, 'rouge2', b.q2, 'rougeL', b.ql) END,
    b.submission, b.received_at, s.entries, s.received_at,
    s.team NOT IN (SELECT id FROM teams_team WHERE kind = 'baseline'),
    coalesce(s.next_at, %(forever)s),
    CASE WHEN s.takes_over THEN coalesce(reigns.ends, %(forever)s) END
FROM spans s JOIN spans b ON b.team = s.team AND b.reign = s.reign AND b.takes_over
JOIN reigns ON reigns.t = s.team AND reigns.r = s.reign
CROSS JOIN (VALUES ('public'), ('private')) AS both_(board)
""",
    "standings": """
INSERT INTO boards_standing (scoring_version_id, team_id, board, printed, metrics, submission_id,
    received_at, entries, last_submission_at, ranked, files, sort_key)
SELECT scoring_version_id, d.team_id, board, printed, metrics, submission_id, received_at, entries,
    last_submission_at, ranked, files.number, t.sort_key
FROM boards_standingday d JOIN teams_team t ON t.id = d.team_id JOIN (
    SELECT team, (('x' || encode(substring(sha256(string_agg(uuid_send(submission), ''
        ORDER BY submission)) FOR 8), 'hex'))::bit(64)::bigint >> 1) & 9223372036854775807 AS number
    FROM drawn WHERE split = 'public' AND state = 'done' AND NOT excluded GROUP BY team
) files ON files.team = d.team_id
WHERE until = %(forever)s
""",
    "lifts": """
INSERT INTO boards_filelift (evaluation_id, board, ratio, length, signature)
SELECT drawn.evaluation, 'public', 0.2 + random() * 0.5, 30 + random() * 30, %(signature)s
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'public'
""",
    "lights": """
INSERT INTO boards_filelights (evaluation_id, signature, found)
SELECT drawn.evaluation, %(lights)s, CASE WHEN random() < 0.03
    THEN '{"copying": ["amber", 60, 499], "length": ["red", 300, 499]}'::jsonb
    ELSE '{"copying": ["green", 0, 499], "length": ["green", 4, 499]}'::jsonb END
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'public'
""",
    "spreads": """
INSERT INTO boards_teamspread (scoring_version_id, team_id, files, deviation, gap)
SELECT scoring_version_id, team_id, files, 0.1 + random() * 0.1,
    s.printed - (drawn.r1 + drawn.r2 + drawn.rl)
FROM boards_standing s JOIN drawn ON drawn.submission = s.submission_id
WHERE s.board = 'public' AND drawn.split = 'private'
""",
    "ledger": """
INSERT INTO submissions_quotaentry (team_id, submission_id, kind, amount, day, at, reason, words)
SELECT team, submission, kind, 1, (received_at AT TIME ZONE 'Asia/Seoul')::date, received_at,
    CASE kind WHEN 'charge' THEN 'submitted' ELSE state END, ''
FROM drawn, (VALUES ('charge'), ('refund')) AS kinds(kind)
WHERE split = 'public' AND (kind = 'charge' OR state <> 'done')
""",
    "notices": """
INSERT INTO inbox_notification (id, user_id, kind, subject, competition, competition_slug, data,
    created_at, read_at, to_mail)
SELECT gen_random_uuid(), person, 'scored', submission, %(contest)s, 'operations',
    jsonb_build_object('public', '1.2345'), received_at,
    CASE WHEN random() < 0.6 THEN received_at + interval '1 hour' END, false
FROM drawn WHERE split = 'public' AND state = 'done'
""",
    "audit": """
INSERT INTO audit_auditevent (id, at, actor_id, kind, competition, subject, after, reason)
SELECT gen_random_uuid(), %(opened)s + random() * %(span)s, %(olivia)s, 'submission.excluded',
    %(contest)s, s.id, '{}', '두 번 냄'
FROM (SELECT id FROM submissions_submission LIMIT 20000) s
""",
}
