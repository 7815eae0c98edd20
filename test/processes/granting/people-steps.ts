/** The steps of a story that change users. */

import type { Random } from '../../process/random.ts'
import { judge } from './judge.ts'
import type { QueueLab } from './queue-lab.ts'

export const TESTERS = ['ada', 'ben', 'cleo'] as const
export const USERS = [...TESTERS, 'root'] as const

export interface Scene {
  readonly lab: QueueLab
  readonly random: Random
  readonly suts: readonly string[]
  readonly requests: string[]
}

/** What a step did, to be read where a story fails. */
export type Step = (scene: Scene, instance: number) => Promise<string>

export const changeUser: Step = async ({ lab, random }) => {
  const _id = random.oneOf(USERS)
  const scope = random.oneOf(['', 'rack=1', 'rack=1', 'rack=2'])
  const quota = random.oneOf([
    null,
    { hours_per_week: null, reservations_max: 1, priority_max: null },
    { hours_per_week: 2, reservations_max: 2, priority_max: null },
  ])
  const changed = random.oneOf([
    { _id, scope },
    { _id, quota },
  ])
  await lab.changeUser(changed)
  return `change ${JSON.stringify(changed)}`
}

export const changeRole: Step = async ({ lab, random }) => {
  const changed = { _id: random.oneOf(TESTERS), role: random.oneOf(['tester', 'auditor'] as const) }
  await lab.changeUser(changed)
  return `change ${JSON.stringify(changed)}`
}

export const removeUser: Step = async ({ lab, random }) => {
  const user = random.oneOf(TESTERS)
  const isRemoved = judge(await lab.log()).model.people.get(user)?.isRemoved
  await (isRemoved ? lab.restoreUser(user) : lab.removeUser(user))
  return `${isRemoved ? 'restore' : 'remove'} ${user}`
}
