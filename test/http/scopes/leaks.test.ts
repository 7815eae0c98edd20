/** What alice gets, in words that two labs share. */

import '../documents/fit-answers.ts'
import { setTimeout as delay } from 'node:timers/promises'
import test from 'ava'
import fc from 'fast-check'
import { toldUntilNow } from '../../feed/changes/told.ts'
import { openStream } from '../../feed/readers.ts'
import type { Answer } from '../client.ts'
import { idOf, type Tidying, withScope } from '../harness.ts'
import { catalogue, nameOf } from '../routes/catalogue.ts'
import { pairsOf, type Question, questionsOf, withIds } from './every-request.ts'
import { type Lab, openLab, SCOPE } from './lab.ts'
import { INSIDE_STEPS, outsideSteps, type Placed, PRELUDE } from './steps.ts'

/** Headers that tell nothing of what an answer is about, and `Berth-Position`, which counts all events. */
const LEFT_OUT = ['date', 'connection', 'keep-alive', 'x-request-id', 'berth-position']

/** Replaces what differs between any two labs: ids, ports that Berth assigns, positions, tokens and hashes. */
const comparable = (text: string, { ids, ports }: Lab): string => {
  const others = new Map<string, string>()
  const nth = (id: string): string => {
    others.set(id, others.get(id) ?? `(id ${others.size})`)
    return others.get(id) as string
  }
  const labelled = [...ids].reduce((so, [label, id]) => so.replaceAll(`"${id}"`, `"(${label})"`), text)
  const withPorts = [...ports].reduce(
    (so, [label, port]) =>
      so
        .replaceAll(new RegExp(`(port|to)":${port}\\b`, 'g'), `$1":"(${label})"`)
        // In CSV too.
        .replaceAll(new RegExp(`,${port}(?=[,\\r])`, 'g'), `,(${label})`)
        .replaceAll(new RegExp(`Port ${port}\\b`, 'g'), `Port (${label})`),
    labelled,
  )
  return withPorts
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(uuid)')
    .replace(/"[0-9]{20}"/g, '"(position)"')
    .replace(/"client":"[^"]+"/g, '"client":"(hash)"')
    .replace(/berth_[A-Za-z0-9_-]{43}/g, '(token)')
    .replace(/"session":"[^"]+"/g, '"session":"(session)"')
    .replace(/\b[0-9a-f]{24}\b/g, nth)
}

/** Documents show ids and ports too, but of no lab: they must be the same. */
const describe = ({ path }: Question, { status, headers, text }: Answer, lab: Lab): string => {
  const shown = Object.entries(headers)
    .filter(([name]) => !LEFT_OUT.includes(name) && name !== 'content-length')
    // The digest of a text with ids.
    .filter(([name]) => name !== 'etag' || !path.includes('/calendar.ics'))
    .map(([name, value]) => `${name}: ${value}`)
  const whole = [status, ...shown.toSorted(), text].join('\n')
  return path.startsWith('/api/') || status >= 400 ? comparable(whole, lab) : whole
}

/** Since alice has her scope, all that she is told of, once an object. */
const askForChanges = async ({ service }: Lab, { path }: Question): Promise<string> => {
  const changes = await service.as('admin').get(`/api/events?type=UserChanged&user_id=${idOf('alice')}&limit=1000`)
  const scoped = (changes.json.events as readonly { readonly sequence: string }[]).at(-1)?.sequence ?? '0'
  const address = path.replace('after=0', `after=${scoped}`)
  const stream = await openStream(service.port, '', { path: address, name: 'alice' })
  const reading = await toldUntilNow(service, stream)
  stream.close()
  return reading.messages
    .filter(({ kind }) => kind !== 'checkpoint')
    .map(({ kind, data }) => `${kind} ${data}`)
    .join('\n')
}

const titleOf = ({ method, path, headers, body, time }: Question): string =>
  [method, path, time, headers.Accept, body && JSON.stringify(body)].filter(Boolean).join(' ')

/** Asks as alice. What has an entity tag is read once more with it. */
const ask = async (lab: Lab, question: Question): Promise<readonly [title: string, answer: string][]> => {
  const { method, path, headers, body } = question
  if (question.route === 'GET /api/changes')
    return [[titleOf(question), comparable(await askForChanges(lab, question), lab)]]
  const alice = lab.service.as('alice')
  const text = body === undefined ? undefined : withIds(JSON.stringify(body), lab)
  let answer = await alice.request(method, withIds(path, lab), headers, text)
  // A list that a busy machine could not read in time is asked for again, as its 503 says.
  for (let left = 5; left > 0 && method === 'GET' && answer.status === 503; left--) {
    await delay(500)
    answer = await alice.request(method, withIds(path, lab), headers, text)
  }
  const title = titleOf(question)
  const first: [string, string] = [title, describe(question, answer, lab)]
  const { etag } = answer.headers
  if (method !== 'GET' || etag === undefined) return [first]
  const again = await alice.get(withIds(path, lab), { ...headers, 'If-None-Match': etag })
  return [first, [`${title} again`, describe(question, again, lab)]]
}

/** Reads sent at a time. A user may be sent as many lists as CSV. */
const AT_A_TIME = 4

/** Answers by question. Reads come first, so that what the others change does not depend on their order. */
const answersOf = async (lab: Lab, questions: readonly Question[]): Promise<ReadonlyMap<string, string>> => {
  const answers = new Map<string, string>()
  const reads = questions.filter(({ method }) => method === 'GET')
  for (let n = 0; n < reads.length; n += AT_A_TIME) {
    const some = await Promise.all(reads.slice(n, n + AT_A_TIME).map((question) => ask(lab, question)))
    for (const [title, answer] of some.flat()) answers.set(title, answer)
  }
  const writes = questions.filter(({ method }) => method !== 'GET')
  // What is cancelled first is refused everything else.
  const isLast = ({ route }: Question): number => Number(route.endsWith('/cancel'))
  for (const question of writes.toSorted((a, b) => isLast(a) - isLast(b))) {
    for (const [title, answer] of await ask(lab, question)) answers.set(title, answer)
  }
  return answers
}

/** The place where two texts begin to differ, with some of both. */
const excerpts = (one: string, other: string): readonly [string, string] => {
  const first = [...one].findIndex((character, n) => character !== other[n])
  const from = Math.max(0, (first === -1 ? one.length : first) - 40)
  return [one.slice(from, from + 120), other.slice(from, from + 120)]
}

/** What is answered differently in two labs. */
const differences = (
  one: ReadonlyMap<string, string>,
  other: ReadonlyMap<string, string>,
): readonly (readonly [question: string, one: string, other: string])[] =>
  [...new Set([...one.keys(), ...other.keys()])]
    .filter((question) => one.get(question) !== other.get(question))
    .map((question) => [question, ...excerpts(one.get(question) ?? '', other.get(question) ?? '')])

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
const answersIn = (outside: readonly Placed[], ...lists: readonly (readonly Question[])[]): Promise<Answers[]> =>
  withScope(async (scope) => {
    const lab = await aLab(scope, outside)
    const answers: Answers[] = []
    for (const questions of lists) answers.push(await answersOf(lab, questions))
    return answers
  })

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
  // Each call of a tool is the request of a route that is asked here itself.
  'POST /mcp',
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
