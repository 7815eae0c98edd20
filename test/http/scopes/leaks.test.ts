import test from 'ava'
import fc from 'fast-check'
import type { Tidying } from '../harness.ts'
import { tidyingLater } from '../harness.ts'
import { catalogue, nameOf } from '../routes/catalogue.ts'
import { answersOf, differences } from './answers.ts'
import { pairsOf, type Question, questionsOf } from './every-request.ts'
import { INSIDE_STEPS } from './inside.ts'
import { type Lab, openLab, SCOPE } from './lab.ts'
import { outsideSteps, type Placed, PRELUDE } from './outside.ts'
import '../documents/fit-answers.ts'

/**
 * Shows that a tester with a scope cannot tell two labs apart that differ in what is outside it: other machines, others'
 * reservations of them, users who hold only those. Every route is asked everything; only ids, ports that Berth assigns,
 * and positions in the log may differ.
 */

const SINGLE = catalogue.flatMap(questionsOf)
const PAIRS = catalogue.flatMap(pairsOf)

/** What alice is refused with, among others. */
const REFUSALS = [
  ...['sut_not_found', 'reservation_not_found', 'user_not_found', 'not_your_reservation', 'forbidden', 'invalid'],
  ...['reservation_conflict', 'reservation_cancelled', 'sut_retired', 'sut_inactive', 'quota_exceeded'],
  ...['window_over', 'end_not_later', 'end_not_earlier', 'idempotency_key_reused'],
]

const NONE: Answers = new Map()

const aLab = async (t: Tidying, outside: readonly Placed[]): Promise<Lab> => {
  const lab = await openLab(t)
  for (const [n, step] of INSIDE_STEPS.entries()) {
    for (const one of outside) if (one.before === n) await one.step(lab)
    await step(lab)
    lab.service.clock.set(new Date(lab.service.clock.now() + 1_000).toISOString())
  }
  for (const one of outside) if (one.before === INSIDE_STEPS.length) await one.step(lab)
  // Reads by id are current at once, and lists with this.
  await lab.service.as('alice').get('/api/sut')
  return lab
}

type Answers = ReadonlyMap<string, string>

/** The answers of one lab to each list of questions, one list after the other. */
const answersIn = async (
  outside: readonly Placed[],
  ...lists: readonly (readonly Question[])[]
): Promise<Answers[]> => {
  const later = tidyingLater()
  try {
    const lab = await aLab(later, outside)
    const answers: Answers[] = []
    for (const questions of lists) answers.push(await answersOf(lab, questions))
    return answers
  } finally {
    await later.tidy()
  }
}

/** Pairs are reads, which change no later answer. */
const EVERYTHING = [PAIRS, SINGLE]

let asked: Promise<Answers[]> | undefined
/** Of a lab with nothing outside. */
const answersAlone = (): Promise<Answers[]> => {
  asked ??= answersIn([], ...EVERYTHING)
  return asked
}

test('thorough: a tester with a scope gets the same answers whatever else is in the lab', async (t) => {
  const [alone, beside] = [await answersAlone(), await answersIn(PRELUDE, ...EVERYTHING)]
  const all = alone.flatMap((answers) => [...answers.values()])
  t.true(all.length > 1_000, String(all.length))
  const codes = new Set(all.map((answer) => /"code":"(\w+)"/.exec(answer)?.[1]))
  t.deepEqual(
    REFUSALS.filter((code) => !codes.has(code)),
    [],
  )
  for (const [n, answers] of alone.entries()) t.deepEqual(differences(answers, beside[n] ?? NONE), [])
})

/** Of what testers may ask, the routes whose answers do not depend on their scope. */
const UNSCOPED = [
  'GET /api/audit/key',
  'POST /api/user/me/password',
  'POST /api/user/:id/token',
  'GET /api/user/:id/token',
  'POST /api/user/:id/token/:token/revoke',
  'POST /api/login/renew',
  'POST /api/logout',
]

const SCOPED = catalogue
  .filter(({ roles }) => roles !== 'anyone' && roles.includes('tester'))
  .map(nameOf)
  .filter((name) => !UNSCOPED.includes(name))

test('control: a route that forgets the scope is found', async (t) => {
  const labs = await Promise.all([aLab(t, []), aLab(t, PRELUDE)])
  const setScope = (scope: string) =>
    Promise.all(labs.map((lab) => lab.post(`/api/user/${lab.ids.get('alice')}/update`, { scope })))
  const found: string[] = []
  // A stream tells only what happens after a new scope.
  const touchAll = () =>
    Promise.all(
      labs.map(async ({ ids, service }) => {
        for (const id of ids.values()) await service.as('admin').post(`/api/sut/${id}/tags`, { touched: '' })
      }),
    )
  for (const route of catalogue) {
    await setScope('')
    if (route.path === '/api/changes') await touchAll()
    const [alone, beside] = await Promise.all(labs.map((lab) => answersOf(lab, questionsOf(route))))
    await setScope(SCOPE)
    if (differences(alone ?? NONE, beside ?? NONE).length > 0) found.push(nameOf(route))
  }
  t.deepEqual(found, SCOPED)
})

test('thorough: property: nor does it matter what happens there', async (t) => {
  const [, alone = NONE] = await answersAlone()
  const property = fc.asyncProperty(outsideSteps(INSIDE_STEPS.length), async (steps) => {
    const [beside = NONE] = await answersIn([...PRELUDE, ...steps], SINGLE)
    const found = differences(alone, beside)
    if (found.length > 0) throw new Error(JSON.stringify(found, null, 2))
  })
  await fc.assert(property, { numRuns: 2, endOnFailure: true })
  t.pass()
})
