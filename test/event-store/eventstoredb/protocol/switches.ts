import { setTimeout as delay } from 'node:timers/promises'
import { type Metadata, status } from '@grpc/grpc-js'
import { accessDenied, type Failure, failure, notReady } from './wire.ts'

/** A received append. */
export interface SeenAppend {
  readonly stream: string
  readonly types: readonly string[]
}

/**
 * A fault of an append.
 * - `refused`: answered with the failure, and not written.
 * - `lost`: written, and answered with the failure.
 * - `silent`: not written, never answered.
 * - `lost-silent`: written, never answered.
 */
export interface AppendFault {
  readonly how: 'refused' | 'lost' | 'silent' | 'lost-silent'
  /** UNAVAILABLE by default. */
  readonly failure?: Failure
  /** Number of appends to affect; one by default. */
  readonly times?: number
  readonly when?: (append: SeenAppend) => boolean
}

export type CallKind = 'append' | 'read' | 'subscription' | 'features' | 'gossip'

export interface Counters {
  appends: number
  reads: number
  subscriptions: number
  /** Events written to the connections of readers and subscribers. */
  eventsSent: number
  features: number
  gossips: number
  connections: number
  /** Calls that a delay holds at the moment. */
  delayed: number
}

export interface Endpoint {
  readonly address: string
  readonly port: number
}

export interface Switches {
  readonly counters: Counters
  /** Delays every call by this many milliseconds. */
  readonly delayAnswers: (milliseconds: number) => void
  readonly faultAppends: (fault: AppendFault) => void
  /** Fails the next calls of a kind. */
  readonly failNext: (kind: CallKind, failure: Failure, times?: number) => void
  /** Never answers the next subscription. */
  readonly stallNextSubscription: () => void
  /** Until `thaw`, accepts connections but sends nothing, not even to subscribers. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Redirects calls that require a leader, and names it in the gossip; undefined to stop. */
  readonly setLeader: (leader: Endpoint | undefined) => void
  /** If not ready, every append, read and subscription fails with "Server Is Not Ready". */
  readonly setReady: (isReady: boolean) => void
  /** Ends all current subscriptions with a failure. */
  readonly endSubscriptions: (failure: Failure) => void
  /** Calls `act` after this many more events have been sent to subscribers. */
  readonly afterSending: (events: number, act: () => void) => void
}

/** The switches, as seen by the server's services. */
export interface SwitchState extends Switches {
  /** Applies delays; returns the failure for the call, if any. */
  readonly admit: (kind: CallKind, metadata: Metadata) => Promise<Failure | undefined>
  readonly thawed: () => Promise<void>
  readonly faultOf: (append: SeenAppend) => AppendFault | undefined
  readonly leader: () => Endpoint | undefined
  readonly onEnd: (end: (failure: Failure) => void) => () => void
  readonly isFrozen: () => boolean
  /** Called for every event sent to a subscriber. */
  readonly sent: () => void
}

const COUNTED = { read: 'reads', subscription: 'subscriptions', features: 'features', gossip: 'gossips' } as const

const isKnown = (metadata: Metadata, users: Readonly<Record<string, string>>): boolean => {
  const [value] = metadata.get('authorization')
  if (typeof value !== 'string' || !value.startsWith('Basic ')) return false
  const [name = '', password] = Buffer.from(value.slice(6), 'base64').toString().split(/:(.*)/s, 2)
  return Object.hasOwn(users, name) && users[name] === password
}

/** Authentication failure, if any. Servers without users need none, nor do features and gossip calls. */
const refusedUser = (kind: CallKind, metadata: Metadata, users?: Readonly<Record<string, string>>) => {
  if (users === undefined || kind === 'features' || kind === 'gossip' || isKnown(metadata, users)) return undefined
  return metadata.get('authorization').length > 0 ? failure(status.UNAUTHENTICATED, 'Unauthenticated') : accessDenied()
}

interface Planned {
  readonly kind: CallKind
  readonly failure: Failure
  times: number
}

const take = <A extends { times: number }>(planned: readonly A[], isMeant: (one: A) => boolean): A | undefined => {
  const found = planned.find((one) => one.times > 0 && isMeant(one))
  if (found !== undefined) found.times--
  return found
}

const requiresLeader = (metadata: Metadata): boolean => metadata.get('requires-leader').includes('true')

const notLeader = ({ address, port }: Endpoint): Failure =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': address,
    'leader-endpoint-port': String(port),
  })

const noCounts = (): Counters => ({
  appends: 0,
  reads: 0,
  subscriptions: 0,
  eventsSent: 0,
  features: 0,
  gossips: 0,
  connections: 0,
  delayed: 0,
})

export const makeSwitches = (users?: Readonly<Record<string, string>>): SwitchState => {
  const counters = noCounts()
  const faults: (AppendFault & { times: number })[] = []
  const planned: Planned[] = []
  const endings = new Set<(failure: Failure) => void>()
  let awaited: { left: number; readonly act: () => void } | undefined
  let latency = 0
  let leader: Endpoint | undefined
  let isReady = true
  let isStalling = false
  let frozen: PromiseWithResolvers<void> | undefined
  const thawed = async (): Promise<void> => {
    while (frozen !== undefined) await frozen.promise
  }

  return {
    counters,
    delayAnswers: (milliseconds) => {
      latency = milliseconds
    },
    faultAppends: (fault) => faults.push({ times: 1, ...fault }),
    failNext: (kind, failure, times = 1) => planned.push({ kind, failure, times }),
    stallNextSubscription: () => {
      isStalling = true
    },
    freeze: () => {
      frozen ??= Promise.withResolvers()
    },
    thaw: () => {
      frozen?.resolve()
      frozen = undefined
    },
    setLeader: (endpoint) => {
      leader = endpoint
    },
    setReady: (ready) => {
      isReady = ready
    },
    endSubscriptions: (failure) => {
      for (const end of [...endings]) end(failure)
    },
    afterSending: (events, act) => {
      awaited = { left: events, act }
    },
    sent: () => {
      if (awaited === undefined || --awaited.left > 0) return
      const { act } = awaited
      awaited = undefined
      act()
    },
    admit: async (kind, metadata) => {
      if (kind !== 'append') counters[COUNTED[kind]]++
      await thawed()
      if (latency > 0) {
        counters.delayed++
        await delay(latency)
        counters.delayed--
      }
      if (!isReady && kind !== 'features' && kind !== 'gossip') return notReady()
      const refused = refusedUser(kind, metadata, users)
      if (refused !== undefined) return refused
      if (leader !== undefined && requiresLeader(metadata)) return notLeader(leader)
      if (isStalling && kind === 'subscription') {
        isStalling = false
        await new Promise(() => undefined)
      }
      return take(planned, (one) => one.kind === kind)?.failure
    },
    thawed,
    faultOf: (append) => take(faults, ({ when }) => when?.(append) ?? true),
    leader: () => leader,
    onEnd: (end) => {
      endings.add(end)
      return () => endings.delete(end)
    },
    isFrozen: () => frozen !== undefined,
  }
}
