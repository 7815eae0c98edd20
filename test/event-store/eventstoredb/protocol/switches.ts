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

export type CallKind = 'append' | 'delete' | 'read' | 'subscription' | 'features' | 'gossip'

export interface Endpoint {
  readonly address: string
  readonly port: number
}

const isKnown = (metadata: Metadata, users: Readonly<Record<string, string>>): boolean => {
  const [value] = metadata.get('authorization')
  if (typeof value !== 'string' || !value.startsWith('Basic ')) return false
  const [name = '', password] = Buffer.from(value.slice(6), 'base64').toString().split(/:(.*)/s, 2)
  return Object.hasOwn(users, name) && users[name] === password
}

/** Takes the first of those planned that is meant and has times left. */
const take = <A extends { times: number }>(planned: readonly A[], isMeant: (one: A) => boolean): A | undefined => {
  const next = planned.find((one) => one.times > 0 && isMeant(one))
  if (next !== undefined) next.times--
  return next
}

const notLeader = ({ address, port }: Endpoint): Failure =>
  failure(status.NOT_FOUND, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': address,
    'leader-endpoint-port': String(port),
  })

/** The switches that tests use. */
export type Switches = ReturnType<typeof makeSwitches>['switches']
/** The switches, as the server's services see them. */
export type SwitchState = Switches & ReturnType<typeof makeSwitches>['state']

export const makeSwitches = (users?: Readonly<Record<string, string>>) => {
  /** Calls by kind and those that are delayed now, events written to readers and subscribers, and connections. */
  const counters = { appends: 0, reads: 0, subscriptions: 0, features: 0, delayed: 0, eventsSent: 0, connections: 0 }
  const counted = { append: 'appends', read: 'reads', subscription: 'subscriptions', features: 'features' } as const
  const faults: (AppendFault & { times: number })[] = []
  const planned: { readonly kind: CallKind; readonly failure: Failure; times: number }[] = []
  const endings = new Set<(failure: Failure) => void>()
  let awaited: { left: number; readonly act: () => void } | undefined
  let latency = 0
  let leader: Endpoint | undefined
  let isReady = true
  let isStalling = false
  let frozen: PromiseWithResolvers<void> | undefined

  const switches = {
    counters,
    /** Delays every call by this many milliseconds. */
    delayAnswers: (milliseconds: number): void => {
      latency = milliseconds
    },
    faultAppends: (fault: AppendFault): void => void faults.push({ times: 1, ...fault }),
    /** Fails the next calls of a kind. */
    failNext: (kind: CallKind, failure: Failure, times = 1): void => void planned.push({ kind, failure, times }),
    /** Never answers the next subscription. */
    stallNextSubscription: (): void => {
      isStalling = true
    },
    /** Until `thaw`, accepts connections but sends nothing, not even to subscribers. */
    freeze: (): void => {
      frozen ??= Promise.withResolvers()
    },
    thaw: (): void => {
      frozen?.resolve()
      frozen = undefined
    },
    /** Redirects calls that require a leader, and names it in the gossip; undefined to stop. */
    setLeader: (endpoint: Endpoint | undefined): void => {
      leader = endpoint
    },
    /** If not ready, every append, read and subscription fails with "Server Is Not Ready". */
    setReady: (ready: boolean): void => {
      isReady = ready
    },
    /** Ends all current subscriptions with a failure. */
    endSubscriptions: (failure: Failure): void => {
      for (const end of [...endings]) end(failure)
    },
    /** Calls `act` after this many more events have been sent to subscribers. */
    afterSending: (events: number, act: () => void): void => {
      awaited = { left: events, act }
    },
  }

  const thawed = async (): Promise<void> => {
    while (frozen !== undefined) await frozen.promise
  }

  const state = {
    thawed,
    isFrozen: (): boolean => frozen !== undefined,
    leader: (): Endpoint | undefined => leader,
    /** Counts and delays a call; returns its failure, if any. */
    admit: async (kind: CallKind, metadata: Metadata): Promise<Failure | undefined> => {
      if (kind in counted) counters[counted[kind as keyof typeof counted]]++
      await thawed()
      counters.delayed++
      if (latency > 0) await delay(latency)
      counters.delayed--
      // Everybody may ask for features and gossip.
      const isOpen = kind === 'features' || kind === 'gossip'
      if (!isReady && !isOpen) return notReady()
      if (users !== undefined && !isOpen && !isKnown(metadata, users)) {
        const hasTried = metadata.get('authorization').length > 0
        return hasTried ? failure(status.UNAUTHENTICATED, 'Unauthenticated') : accessDenied()
      }
      if (leader !== undefined && metadata.get('requires-leader').includes('true')) return notLeader(leader)
      if (isStalling && kind === 'subscription') {
        isStalling = false
        await new Promise(() => undefined)
      }
      return take(planned, (one) => one.kind === kind)?.failure
    },
    faultOf: (append: SeenAppend): AppendFault | undefined => take(faults, ({ when }) => when?.(append) ?? true),
    onEnd: (end: (failure: Failure) => void) => {
      endings.add(end)
      return (): void => void endings.delete(end)
    },
    /** Called for every event sent to a subscriber. */
    sent: (): void => {
      if (awaited === undefined || --awaited.left > 0) return
      const { act } = awaited
      awaited = undefined
      act()
    },
  }

  return { switches, state }
}
