import type { IconName } from '../../parts/icon-name.ts'
import type { Entry } from './entries.ts'

/**
 * The sentence of each event, by kind. `{ for place}` is a hole of `holes.ts` with what stands before it if it is
 * filled. `isOwn`: whether one did it to what is one's own. Pure.
 */
type Template = readonly [IconName, string]
type Templates = Readonly<Record<string, Template | ((data: Entry['data'], isOwn: boolean) => Template)>>

const EXPIRED: Readonly<Record<string, string>> = {
  keepalive: '{user} stopped waiting for a machine',
  retired: '{user} did not get a machine, because it was retired',
}

const RELEASED: Readonly<Record<string, string>> = {
  keepalive: ' because nobody kept it alive',
  unused: ' because nobody connected',
}

const REMOVED: Readonly<Record<string, string>> = {
  cancel: ' and ended their reservations',
  keep: ' and kept their reservations',
}

/** What follows from something that is told, or only goes on. */
export const QUIET: ReadonlySet<string> = new Set([
  ...['ReservationStarted', 'ReservationEnded', 'ReservationKept', 'RequestKept'],
  ...['ListenPortAssigned', 'ListenPortReleased'],
])

/** Of many alike, as an import makes them. */
export const RUNS: Readonly<Record<string, string>> = {
  SutCreated: '{actor} added {count} machines',
  SutUpdated: '{actor} changed {count} machines',
  SutRetired: '{actor} retired {count} machines',
  ListenPortAssigned: 'Assigned ports to {count} machines',
  ListenPortReleased: 'Released the ports of {count} machines',
  SutMonitoringEnabled: '{actor} turned on monitoring of {count} machines',
  SutMonitoringDisabled: '{actor} turned off monitoring of {count} machines',
  SutWentOnline: '{count} machines came online',
  SutWentOffline: '{count} machines went offline',
  ReservationStarted: '{count} reservations started',
  ReservationEnded: '{count} reservations ended',
  UserAdded: '{actor} added {count} people',
}

const reservations = {
  ReservationCreated: ['calendar', '{actor} reserved {machine}{ for other}, {window}{quota}'],
  ReservationSeriesCreated: ['calendar', '{actor} reserved {machine}{ for other}, {series}'],
  ReservationExtended: ['calendar', '{actor} extended {owner} reservation{ for place} to {end}'],
  ReservationShortened: ['calendar', '{actor} shortened {owner} reservation{ for place} to {end}'],
  ReservationKept: ['clock', '{actor} kept {owner} reservation{ for place} alive'],
  ReservationReleased: ({ cause }, isOwn) =>
    isOwn
      ? ['check', '{actor} released {machine}']
      : ['check', `{actor} released {owner} reservation{ for place}${RELEASED[String(cause)] ?? ''}`],
  ReservationCancelled: ['x', '{actor} cancelled {owner} reservation{ for place}'],
  ReservationBound: ['lock', '{actor} allowed another computer to use {owner} reservation{ for place}'],
  ReservationUnbound: ['lock', '{actor} ended the binding of {owner} reservation{ for place} by a new password'],
  ReservationStarted: ['clock', '{owner} reservation{ for place} started'],
  ReservationEnded: ['clock', '{owner} reservation{ for place} ended'],
  ReservationRequested: ['queue', '{actor} requested {wish}{ for other}, {length}'],
  MatchOffered: ['calendar', '{user} was offered {machine}'],
  ReservationOfferRefused: ['calendar', '{user} did not get {machine}'],
  RequestOffered: ['calendar', '{user} was offered {machine}'],
  RequestOfferClosed: ['calendar', '{user} did not get {machine}'],
  RequestGranted: ['calendar', '{user} got {machine}'],
  RequestKept: ['clock', '{actor} kept {owner} request for a machine alive'],
  RequestWithdrawn: ['x', '{actor} withdrew {owner} request for a machine'],
  RequestExpired: ({ cause }) => ['x', EXPIRED[String(cause)] ?? '{user} did not get a machine in time'],
} satisfies Templates

const sessions = {
  SessionOpened: ['plug', '{user} connected{ to place}'],
  SessionClosed: ['plug', '{user} disconnected{ from place}, after {connected}'],
} satisfies Templates

const changes = {
  SutCreated: ['plus', '{actor} added {machine}'],
  SutUpdated: ['edit', '{actor} changed {subject}{changes}'],
  SutRetired: ['x', '{actor} retired {machine}'],
  SutCreationAbandoned: ['x', '{actor} did not finish adding {machine}'],
  ListenPortAssigned: ['plug', 'Assigned port {port}{ to place}'],
  ListenPortReleased: ['plug', 'Released port {port}{ of place}'],
} satisfies Templates

const monitoring = {
  SutMonitoringEnabled: ['pulse', '{actor} set monitoring{ of place} to every {interval}'],
  SutMonitoringDisabled: ['pulse', '{actor} turned off monitoring{ of place}'],
  SutWentOnline: ['check', '{machine} came online'],
  SutWentOffline: ['warning', '{machine} went offline: {cause}'],
} satisfies Templates

const people = {
  UserAdded: ['user', '{actor} added {account} as {role}'],
  UserChanged: ({ credentials, role, quota, scope }, isOwn) => {
    const { changed = [] } = (credentials ?? {}) as { readonly changed?: readonly string[] }
    // A new epoch alone ends all sessions.
    if (changed.every((name) => name === 'epoch') && [role, quota, scope].every((value) => value === undefined))
      return ['out', isOwn ? '{actor} signed out everywhere' : '{actor} signed {account} out everywhere']
    return ['user', '{actor} changed {holder} {settings}']
  },
  UserRemoved: ({ reservations: left }) => ['user', `{actor} removed {account}${REMOVED[String(left)] ?? ''}`],
  UserRestored: ['user', '{actor} restored {account}'],
  UserErased: ['user', '{actor} erased {holder} name'],
  TokenIssued: ['key', '{actor} created a token{ for other} as {role}{, until expiry}'],
  TokenRevoked: ({ session_until }) =>
    session_until === undefined ? ['key', '{actor} revoked a token{ of other}'] : ['out', '{user} signed out'],
} satisfies Templates

const service = {
  WebhookCreated: ['plug', '{actor} created a webhook'],
  WebhookUpdated: ['edit', '{actor} changed a webhook'],
  WebhookSecretReplaced: ['key', '{actor} replaced the secret of a webhook'],
  WebhookEnabled: ['check', '{actor} enabled a webhook'],
  WebhookDisabled: ['warning', 'Berth disabled a webhook whose receiver takes no events'],
  WebhookReplayed: ['clock', '{actor} moved a webhook to another position'],
  WebhookAdvanced: ['plug', 'Berth delivered events to a webhook'],
  WebhookRemoved: ({ cause }) => [
    'x',
    cause === undefined ? '{actor} removed a webhook' : 'A webhook was removed: its receiver is gone',
  ],
  LogVersionSet: ['up', 'The log has version {version} from here on'],
  ScheduleBegan: ['clock', 'Berth started recording starts and ends'],
  RefusalsCounted: ['x', 'Berth refused {requests}'],
  AuditKeyReplaced: ['shield', '{actor} replaced the key that signs checkpoints'],
  VaultKeyForgotten: ['lock', '{actor} gave up a lost vault key'],
} satisfies Templates

export const KINDS = { reservations, sessions, changes, monitoring, people, service } satisfies Record<
  string,
  Templates
>

export type Kind = keyof typeof KINDS

export const typesOf = (kind: Kind): readonly string[] => Object.keys(KINDS[kind])

const TEMPLATES = new Map(
  Object.entries(KINDS).flatMap(([kind, templates]: readonly [string, Templates]) =>
    Object.entries(templates).map(([type, template]) => [type, { kind: kind as Kind, template }] as const),
  ),
)

export const templateOf = (type: string) =>
  TEMPLATES.get(type) ?? { kind: 'changes' as const, template: ['edit', type] as const }
