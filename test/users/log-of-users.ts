import type { ExecutionContext } from 'ava'
import type { UserState } from '../../src/domain/user/state.ts'
import { openUsers, type Users } from '../../src/users/users.ts'
import type { UserSecrets } from '../../src/vault/vault.ts'
import { cheapHash, signal } from './builders.ts'

interface Beginning {
  /** Fails the first reading. */
  readonly failing?: Error
  /** Called when users are read for the first time, after their events and before their secrets. */
  readonly onFirst?: (change: {
    readonly add: (name: string) => Promise<void>
    readonly tell: () => void
  }) => Promise<void>
}

/** A log of users and their vault, which a test changes. */
export const aLogOfUsers = async (
  t: ExecutionContext,
  names: readonly string[],
  { failing: first, onFirst }: Beginning = {},
) => {
  let revision = -1
  const states = new Map<string, UserState>()
  const secrets = new Map<string, UserSecrets>()
  const failures: unknown[] = []
  const recovered = signal<void>()
  const listeners = new Set<() => void>()
  let readings = 0
  let failing = first
  const reads: (() => Promise<void>)[] = []

  const record = (id: string, change: Partial<UserState>): void => {
    const time = '2030-05-02T05:58:11.400Z'
    const made = { _id: id, role: 'tester', quota: null, scope: '', status: 'present', removal: null } as const
    const before = states.get(id) ?? {
      ...made,
      secrets: {},
      accessSince: 0,
      revision: 0,
      created_at: time,
      updated_at: time,
    }
    states.set(id, { ...before, ...change, revision: ++revision })
  }
  const keep = (id: string, field: keyof UserSecrets, clear: string): void => {
    const change = { id: `change ${revision + 1}`, clear }
    secrets.set(id, { ...secrets.get(id), [field]: change })
    record(id, { secrets: { ...states.get(id)?.secrets, [field]: change.id } })
  }
  const add = async (name: string): Promise<void> => {
    keep(`id-of-${name}`, 'name', name)
    keep(`id-of-${name}`, 'password', await cheapHash('correct horse'))
  }
  const tell = (): void => {
    for (const listener of listeners) listener()
  }
  for (const name of names) await add(name)
  const users: Users = await openUsers({
    isShared: true,
    readState: async () => {
      readings++
      await reads.shift()?.()
      if (failing !== undefined) throw failing
      const read = [...states.values()]
      if (readings === 1) await onFirst?.({ add, tell })
      return { time: 0, keys: [], users: read }
    },
    readSecrets: async (ids) => ids.map((id) => secrets.get(id) ?? {}),
    watch: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onError: (error) => failures.push(error),
    onRecovery: () => {
      failures.push('recovered')
      recovered.give()
    },
  })
  t.teardown(users.close)
  return {
    ...{ users, record, keep, add, secrets, failures, listeners, recovered: recovered.came },
    readings: () => readings,
    hold: (until: () => Promise<void>) => reads.push(until),
    fail: (error: Error | undefined) => {
      failing = error
    },
  }
}
