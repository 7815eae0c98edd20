import type { SQLInputValue } from 'node:sqlite'
import { projections } from '../../../projections/index.ts'
import type { Row, Table } from '../../../projections/projection.ts'
import type { Reservation, ReservationInternal } from '../../../projections/reservation.ts'
import type { Series } from '../../../projections/series.ts'
import { type Session, type SessionInternal, STILL_OPEN } from '../../../projections/session.ts'
import type { Sut, SutInternal } from '../../../projections/sut.ts'
import type { SutRequest, SutRequestInternal } from '../../../projections/sut-request.ts'

/** 4 MB. */
export const CHECKPOINT_PAGES = 250
// Large pages cost less, as most rows arrive in the order of an index. With NORMAL, a power cut may lose the newest rows, which are refolded from the log; it cannot damage the file.
export const PRAGMAS = `PRAGMA page_size = 16384; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000;
  PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`

/** The version of this file's shape; projections have their own. */
const FILE_VERSION = 21

/** The shape a file must have to be used. */
export const SHAPE = [`file ${FILE_VERSION}`, ...projections.map(({ name, version }) => `${name} ${version}`)].join(
  ', ',
)

/** Versions that are current. Lists show these, and leave out more as they are asked to. */
export const CURRENT = 'until IS NULL'
/** Versions that were current once. Only lists as of the past show them. */
const FORMER = 'until IS NOT NULL'
export const HAS_TURNAROUND = `${CURRENT} AND turnaround > 0`
export const IS_OPEN = `closes = ${STILL_OPEN}`

/**
 * What every version of an object has. It is current from `position` until that of the next version. Rows are keyed by
 * position, which only grows: scattered keys would dirty a page each. Lists are in the order of `created`, the position
 * of the first version. `observed` counts the events of another stream that the document shows.
 */
const VERSION = `position INTEGER PRIMARY KEY, revision INTEGER NOT NULL, id TEXT NOT NULL,
    document TEXT NOT NULL, internal TEXT NOT NULL, ended TEXT, created INTEGER NOT NULL,
    observed INTEGER NOT NULL, is_observed INTEGER NOT NULL, until INTEGER`

type Columns<D extends object, I extends object> = readonly (readonly [
  definition: string,
  value: (row: Row<D, I>) => SQLInputValue,
])[]

const SUT: Columns<Sut, SutInternal> = [
  ['sut_type TEXT NOT NULL', ({ document }) => document.sut_type],
  ['is_active INTEGER NOT NULL', ({ document }) => Number(document.is_active)],
  ['tags TEXT NOT NULL', ({ document }) => JSON.stringify(document.tags)],
  ['folded_name TEXT NOT NULL', ({ internal }) => internal.folded_name],
  ['status TEXT NOT NULL', ({ internal }) => internal.status],
  ['cause TEXT', ({ internal }) => internal.cause],
  ['began INTEGER NOT NULL', ({ internal }) => Number(internal.began)],
  ['time INTEGER NOT NULL', ({ internal }) => internal.time],
  ['turnaround INTEGER NOT NULL', ({ internal }) => internal.settings.turnaround ?? 0],
]

const RESERVATION: Columns<Reservation, ReservationInternal> = [
  ['sut TEXT NOT NULL', ({ document }) => document.sut_id],
  ['user TEXT NOT NULL', ({ document }) => document.user_id],
  ['starts INTEGER NOT NULL', ({ internal }) => internal.start],
  ['ends INTEGER NOT NULL', ({ internal }) => internal.end],
  ['lateness INTEGER NOT NULL', ({ internal }) => internal.lateness],
  // For a quota.
  ['counts INTEGER NOT NULL', ({ internal }) => (internal.is_exempt ? 0 : internal.counted)],
  ['series TEXT', ({ internal }) => internal.series_id ?? null],
]

const SERIES: Columns<Series, object> = [
  ['sut TEXT NOT NULL', ({ document }) => document.sut_id],
  ['user TEXT NOT NULL', ({ document }) => document.user_id],
]

const SESSION: Columns<Session, SessionInternal> = [
  ['reservation TEXT NOT NULL', ({ document }) => document.reservation_id],
  ['sut TEXT NOT NULL', ({ document }) => document.sut_id],
  ['user TEXT NOT NULL', ({ document }) => document.user_id],
  ['opens INTEGER NOT NULL', ({ internal }) => internal.opened],
  ['closes INTEGER NOT NULL', ({ internal }) => internal.closed],
]

const SUT_REQUEST: Columns<SutRequest, SutRequestInternal> = [
  ['user TEXT NOT NULL', ({ document }) => document.user_id],
  ['status TEXT NOT NULL', ({ document }) => document.status],
  ['target TEXT NOT NULL', ({ internal }) => internal.target],
]

/**
 * Further columns, for lists, and their values. Generated columns would say the same, but SQLite takes no query that names
 * one as answered by an index alone, and reads the JSON texts again: a third of the time of an insertion.
 */
const COLUMNS: Readonly<Partial<Record<Table, Columns<never, never>>>> = {
  sut: SUT,
  reservation: RESERVATION,
  series: SERIES,
  session: SESSION,
  sut_request: SUT_REQUEST,
}

const columnsOf = (name: Table): Columns<never, never> => COLUMNS[name] ?? []

/** The names of the further columns of a table of versions: the first words of their definitions. */
export const furtherColumns = (name: Table): readonly string[] =>
  columnsOf(name).map(([definition]) => definition.slice(0, definition.indexOf(' ')))

/** The values of those columns. */
export const furtherValues = (name: Table, row: Row): readonly SQLInputValue[] =>
  columnsOf(name).map(([, value]) => value(row as Row<never, never>))

const versions = (name: Table): string =>
  `CREATE TABLE ${name} (
    ${[VERSION, ...columnsOf(name).map(([definition]) => definition)].join(',\n    ')}
  ) STRICT;`

/**
 * The whole file. An index of current rows also has `until`, as with it a list is read and counted from the index alone.
 */
export const SCHEMA = `
  CREATE TABLE progress (
    one INTEGER PRIMARY KEY CHECK (one = 1), shape TEXT NOT NULL, logId TEXT NOT NULL, position INTEGER NOT NULL,
    storePosition INTEGER NOT NULL, eventId TEXT NOT NULL, stream TEXT NOT NULL, revision INTEGER NOT NULL,
    synced INTEGER NOT NULL
  ) STRICT;

  -- Folded states of streams.
  CREATE TABLE snapshot (
    stream TEXT PRIMARY KEY, version INTEGER NOT NULL, revision INTEGER NOT NULL, storePosition INTEGER NOT NULL,
    text TEXT NOT NULL
  ) STRICT;

  -- The index of the log. In the embedded store the store position is the position, and needs no index.
  CREATE TABLE log (
    position INTEGER PRIMARY KEY, storePosition INTEGER NOT NULL, id BLOB NOT NULL, leaf BLOB NOT NULL,
    time INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX log_by_id ON log (id);
  CREATE INDEX log_by_store_position ON log (storePosition) WHERE storePosition <> position;
  CREATE TABLE tree (
    level INTEGER NOT NULL, n INTEGER NOT NULL, hash BLOB NOT NULL, PRIMARY KEY (level, n)
  ) STRICT, WITHOUT ROWID;

  ${versions('sut')}
  CREATE INDEX sut_by_id ON sut (id, position, is_observed);
  CREATE INDEX sut_current ON sut (created, ended, id, sut_type, is_active, folded_name, tags, status, until)
    WHERE ${CURRENT};
  CREATE INDEX sut_former ON sut (until, position, created, ended, sut_type, is_active, folded_name, tags, status)
    WHERE ${FORMER};
  CREATE INDEX sut_with_turnaround ON sut (turnaround, id, until) WHERE ${HAS_TURNAROUND};
  CREATE INDEX sut_began ON sut (id, time, position, status, cause, began) WHERE began = 1;

  ${versions('reservation')}
  CREATE INDEX reservation_by_id ON reservation (id, position);
  CREATE INDEX reservation_current ON reservation (created, ended, sut, user, starts, ends, lateness, until)
    WHERE ${CURRENT};
  CREATE INDEX reservation_by_sut ON reservation (sut, ends, starts, created, ended, lateness, until)
    WHERE ${CURRENT};
  CREATE INDEX reservation_by_user ON reservation (user, ends, starts, created, ended, lateness, until)
    WHERE ${CURRENT};
  CREATE INDEX reservation_by_end ON reservation (ends, starts, created, ended, sut, user, lateness, until)
    WHERE ${CURRENT};
  CREATE INDEX reservation_former ON reservation (until, position, created, ended, sut, user, starts, ends, lateness)
    WHERE ${FORMER};
  CREATE INDEX reservation_of_series ON reservation (series, starts, created, until) WHERE series IS NOT NULL AND ${CURRENT};

  ${versions('series')}
  CREATE INDEX series_by_id ON series (id, position);
  CREATE INDEX series_current ON series (created, sut, user, until) WHERE ${CURRENT};
  CREATE INDEX series_by_sut ON series (sut, created, user, until) WHERE ${CURRENT};
  CREATE INDEX series_by_user ON series (user, created, sut, until) WHERE ${CURRENT};

  ${versions('session')}
  CREATE INDEX session_by_id ON session (id, position);
  CREATE INDEX session_current ON session (created, sut, user, reservation, opens, closes, until) WHERE ${CURRENT};
  CREATE INDEX session_open ON session (created, sut, user, reservation, opens, closes, until) WHERE ${CURRENT} AND ${IS_OPEN};
  CREATE INDEX session_by_sut ON session (sut, created, user, reservation, opens, closes, until) WHERE ${CURRENT};
  CREATE INDEX session_by_user ON session (user, created, sut, reservation, opens, closes, until) WHERE ${CURRENT};
  CREATE INDEX session_by_reservation ON session (reservation, created, sut, user, opens, closes, until) WHERE ${CURRENT};

  ${versions('sut_request')}
  CREATE INDEX sut_request_by_id ON sut_request (id, position);
  CREATE INDEX sut_request_current ON sut_request (created, user, status, until) WHERE ${CURRENT};
  CREATE INDEX sut_request_by_status ON sut_request (status, created, user, until) WHERE ${CURRENT};
  CREATE INDEX sut_request_by_user ON sut_request (user, created, status, until) WHERE ${CURRENT};
  CREATE INDEX sut_request_by_target ON sut_request (target, created, user, status, until) WHERE ${CURRENT};

  ${versions('user')}
  CREATE INDEX user_by_id ON user (id, position);
  ${versions('token')}
  CREATE INDEX token_by_id ON token (id, position);
  ${versions('listen_port')}
  CREATE INDEX listen_port_by_id ON listen_port (id, position);

  ${versions('retry_key')}
  CREATE INDEX retry_key_by_id ON retry_key (id, position);

  ${versions('refusals')}
  CREATE INDEX refusals_by_id ON refusals (id, position);
  CREATE INDEX refusals_current ON refusals (created, until) WHERE ${CURRENT};

  -- What ANALYZE would find in a large lab: rows, and how many of them have the same first column, and the same first two.
  -- Plans then depend on no data, and are those of the tests.
  ANALYZE sqlite_schema;
  INSERT INTO sqlite_stat1 VALUES
    ('reservation', 'reservation_by_id', '3000000 3 1'),
    ('reservation', 'reservation_current', '1000000 1 1'),
    ('reservation', 'reservation_by_sut', '1000000 100 1'),
    ('reservation', 'reservation_by_user', '1000000 1000 1'),
    ('reservation', 'reservation_by_end', '1000000 10 5'),
    ('reservation', 'reservation_former', '2000000 1 1'),
    ('session', 'session_by_id', '2000000 2 1'),
    ('session', 'session_current', '1000000 1 1'),
    ('session', 'session_open', '100 1 1'),
    ('session', 'session_by_sut', '1000000 100 1'),
    ('session', 'session_by_user', '1000000 1000 1'),
    ('session', 'session_by_reservation', '1000000 2 1');
  ANALYZE sqlite_schema;`
