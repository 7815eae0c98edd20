import { formatWithOffset } from '../../domain/values/instant.ts'

/** A SUT, until when it stands so, and who has it until then. */
interface Named {
  readonly name: string
  readonly until?: number
  readonly by?: readonly string[]
}

/** SUTs of one kind. Those that the reader sees are named, the first few of them. */
export interface Group {
  readonly count: number
  readonly named: readonly Named[]
}

/** Why a quota keeps a request back. Unix seconds. */
export type QuotaNote =
  | { readonly is: 'reservations'; readonly most: number | undefined }
  | { readonly is: 'hours'; readonly most: number | undefined; readonly until: number }

/** Everything that a request waits for. Times are in Unix seconds. */
export interface Situation {
  readonly fitting: number
  /** The SUT that is being reserved for it; null if the reader does not see it, undefined if there is none. */
  readonly offered: string | null | undefined
  readonly free: Group
  /** Reserved until they are free for long enough. */
  readonly taken: Group
  /** Free, but not for long enough. */
  readonly short: Group
  readonly offline: Group
  readonly inactive: Group
  readonly quota: QuotaNote | undefined
  /** Since when nobody has asked for it, and until when somebody may, in Unix milliseconds, if others go before it. */
  readonly unattended: { readonly since: number; readonly until: number } | undefined
  /** Requests that rank before it. */
  readonly before: number
  readonly expires: number
  /** Whether a machine is expected to be free for it before it expires; undefined if that is not known. */
  readonly isExpected: boolean | undefined
}

/** SUTs and users that are named in one sentence. */
export const NAMED_MAX = 3

const time = (seconds: number): string => formatWithOffset(seconds, 0)

const isOrAre = (count: number): string => (count === 1 ? `${count} is` : `${count} are`)

/** A list like "a, b and 3 more". */
const list = (names: readonly string[], count: number): string => {
  const rest = count - names.length
  const parts = rest > 0 ? [...names, `${rest} more`] : names
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}

const describeNamed = ({ name, until, by = [] }: Named): string => {
  const holders = by.length === 0 ? '' : ` by ${list(by.slice(0, NAMED_MAX), by.length)}`
  return until === undefined ? name : `${name}${holders} until ${time(until)}`
}

const describe = (what: string, { count, named }: Group): readonly string[] => {
  if (count === 0) return []
  const names = named.slice(0, NAMED_MAX).map(describeNamed)
  return [names.length === 0 ? `${isOrAre(count)} ${what}.` : `${isOrAre(count)} ${what}: ${list(names, count)}.`]
}

const describeQuota = (quota: QuotaNote | undefined): readonly string[] => {
  if (quota === undefined) return []
  if (quota.most === undefined) return ['The quota of its user is used up.']
  return quota.is === 'hours'
    ? [`The quota of its user, ${quota.most} hours in a week, is used up until ${time(quota.until)}.`]
    : [`The quota of its user, ${quota.most} reservations that are not over, is used up.`]
}

const describeBefore = (before: number): readonly string[] => {
  if (before === 0) return []
  return [before === 1 ? '1 request is before it.' : `${before} requests are before it.`]
}

const describeFit = ({ fitting, offered }: Situation): string => {
  if (offered !== undefined) return `${offered ?? 'A machine'} is being reserved for it.`
  if (fitting === 0) return 'No machine that its user may reserve fits now.'
  return fitting === 1 ? '1 machine fits.' : `${fitting} machines fit.`
}

const describeUnattended = (unattended: Situation['unattended']): readonly string[] => {
  if (unattended === undefined) return []
  const [since, until] = [unattended.since, unattended.until].map((at) => time(Math.floor(at / 1000)))
  return [`Nobody has asked for it since ${since}: it is passed over, and expires at ${until}.`]
}

/** Says why a request waits. */
export const explainWaiting = (situation: Situation): readonly string[] => {
  const { free, taken, short, offline, inactive, quota, unattended, before, expires, isExpected } = situation
  return [
    describeFit(situation),
    ...describeUnattended(unattended),
    ...describe('reserved', taken),
    ...describe('free, but not for long enough', short),
    ...describe('offline', offline),
    ...describe('inactive', inactive),
    ...describe('free', free),
    ...describeQuota(quota),
    ...describeBefore(before),
    ...(isExpected === false ? [`None is expected to be free for it before it expires at ${time(expires)}.`] : []),
  ]
}
