import test, { type ExecutionContext } from 'ava'
import { type Ran, type } from '../command-line/terminal.ts'
import { basic } from '../http/client.ts'
import { idOf, type Running, start } from '../http/harness.ts'
import { createSut, NOW, reserved } from '../http/requests.ts'
import { aUser } from './builders.ts'

/** The commands on users, beside a running service that has admin, alice, bob and audrey. */

interface Stage {
  readonly service: Running
  readonly user: (line: readonly string[], stdin?: string | Buffer) => Promise<Ran>
  /** Whose name and password these are, or the code of the refusal. */
  readonly whoIs: (name: string, password: string) => Promise<unknown>
}

const given = async (t: ExecutionContext): Promise<Stage> => {
  const service = await start(t, { now: NOW })
  return {
    service,
    user: (line, stdin = '') =>
      type(
        ['user', ...line],
        { BERTH_DATA: service.data },
        { stdin: async () => Buffer.from(stdin), now: service.clock.now },
      ),
    whoIs: async (name, password) => {
      const { json } = await service.anyone.get('/api/user/me', { Authorization: basic(name, password) })
      return json._id ?? json.code
    },
  }
}

const PEOPLE = ['admin', 'alice', 'bob', 'audrey']
const namesIn = ({ out }: Ran): readonly unknown[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[2])

test('user add prints the new id and a generated password', async (t) => {
  const { user, whoIs } = await given(t)
  const { code, out, error } = await user(['add', 'carol', '--role', 'tester'])
  t.deepEqual([code, error], [0, ''])
  const [id, password, end, ...more] = out.split('\n')
  t.regex(id as string, /^[0-9a-f]{24}$/)
  t.is(id?.slice(0, 8), Math.floor(Date.parse(NOW) / 1000).toString(16))
  t.regex(password as string, /^[0-9a-z]{26}$/)
  t.deepEqual([end, more], ['', []])
  t.is(await whoIs('carol', password as string), id)
})

test('user add with a given id and password prints only the id', async (t) => {
  const { user, whoIs } = await given(t)
  const line = ['add', 'carol', '--role=auditor', '--id', 'carol 7', '--password-stdin']
  t.deepEqual(await user(line, 'correct horse\n'), { code: 0, out: 'carol 7\n', error: '' })
  t.is(await whoIs('carol', 'correct horse'), 'carol 7')
})

test('one line break after a given password is dropped, and only one', async (t) => {
  const { user, whoIs } = await given(t)
  const add = (name: string, stdin: string) =>
    user(['add', name, '--role', 'tester', '--id', name, '--password-stdin'], stdin)
  t.is((await add('unix', 'correct horse\n')).code, 0)
  t.is((await add('dos', 'correct horse\r\n')).code, 0)
  t.is((await add('bare', ' correct horse ')).code, 0)
  t.is(await whoIs('unix', 'correct horse'), 'unix')
  t.is(await whoIs('dos', 'correct horse'), 'dos')
  t.is(await whoIs('bare', ' correct horse '), 'bare')
  t.is((await add('two', 'correct horse\n\n')).code, 1)
})

test('an invalid change of users is refused with the reason, and nothing is changed', async (t) => {
  const { service, user } = await given(t)
  const before = (await service.as('admin').get('/api/user?removed=true')).text
  const add = (name: string, ...more: string[]) => user(['add', name, '--role', 'tester', ...more])
  const refusals = [
    [await add('ALICE'), /409 user_name_taken: /],
    [await add('carol', '--id', idOf('alice')), /409 user_id_taken: /],
    [await add('carol', '--id', 'schedule'), /422 invalid: _id is one of the service's own/],
    [await add('carol', '--id', 'a/b'), /422 invalid: _id must be an id: 1 to 128 printable characters/],
    [await add('a:b'), /422 invalid: name must be .* without ":"/],
    [await add('a\u0007b'), /422 invalid: name must be .* invisible characters/],
    [await add('BERTH_token'), /422 invalid: name must .* not begin with "berth_"/],
    [await user(['add', 'carol', '--role', 'tester', '--password-stdin'], 'short'), /password must have at least 8/],
    [await user(['add', 'carol', '--role', 'tester', '--password-stdin'], Buffer.from([0xff])), /not in UTF-8/],
    [await user(['passwd', 'carol']), /there is no user "carol"/],
    [await user(['passwd', 'bob', '--password-stdin'], '1234567'), /password must have at least 8/],
    [await user(['show', 'carol']), /there is no user "carol"/],
    [await user(['role', 'admin', 'tester']), /409 last_administrator: /],
    [await user(['remove', 'admin', '--reservations', 'keep']), /409 last_administrator: /],
    [await user(['remove', 'carol', '--reservations', 'keep']), /there is no user "carol"/],
    [await user(['rename', 'bob', 'Alice']), /409 user_name_taken: /],
    [await user(['rename', 'bob', '']), /422 invalid: name /],
    [await user(['restore', 'bob']), /409 user_not_removed: /],
    [await user(['erase', 'bob']), /409 user_not_removed: /],
  ] as const
  for (const [{ code, out, error }, reason] of refusals) {
    t.deepEqual([code, out], [1, ''], error)
    t.regex(error, reason)
    t.regex(error, /^berth: .*\n$/)
  }
  t.is((await service.as('admin').get('/api/user?removed=true')).text, before)
})

test('no message repeats a password, wherever it was entered', async (t) => {
  const canary = 'CaNaRy0123456789'
  const { user } = await given(t)
  const ran = [
    await user(['add', 'carol', canary, '--role', 'tester']),
    await user(['add', 'carol', '--role', 'tester', `--password=${canary}`]),
    await user(['add', 'carol', '--role', 'tester', `--password-stdin=${canary}`]),
    await user(['add', 'carol', '--role', canary]),
    await user(['add', 'alice', '--role', 'tester', '--password-stdin'], canary),
    await user(['add', 'carol', '--role', 'tester', '--password-stdin'], `${canary}\n${canary}`),
    await user(['passwd', 'carol', '--password-stdin'], canary),
    await user(['passwd', 'alice', canary]),
    await user(['passwd', 'alice', '--password-stdin'], `${canary}\n`),
    await user(['remove', 'bob', '--reservations', canary]),
    await user(['list', '--removed']),
  ]
  t.deepEqual(
    ran.map(({ code }) => code),
    [2, 2, 2, 2, 1, 1, 1, 2, 0, 2, 0],
  )
  for (const { out, error } of ran) t.false(`${out}${error}`.includes(canary))
})

test('user list prints id, role and name in the order of adding', async (t) => {
  const { user } = await given(t)
  await user(['add', 'Ann Bee', '--role', 'auditor', '--id', 'a'])
  const { code, out, error } = await user(['list'])
  t.deepEqual([code, error], [0, ''])
  t.deepEqual(out.split('\n').slice(-3), [`${idOf('audrey')}\tauditor\taudrey`, 'a\tauditor\tAnn Bee', ''])
  t.deepEqual(namesIn({ code, out, error }), [...PEOPLE, 'Ann Bee'])
})

test('user list --json prints a JSON object with the users as the service shows them', async (t) => {
  const { service, user } = await given(t)
  await user(['add', 'Ann "B"', '--role', 'auditor', '--id', 'a'])
  const { code, out } = await user(['list', '--json'])
  t.is(code, 0)
  const { users } = (await service.as('admin').get('/api/user')).json as { users: readonly object[] }
  t.deepEqual(JSON.parse(out), { users: users.toReversed() })
  t.like(users[0], { _id: 'a', name: 'Ann "B"', role: 'auditor' })
})

test('more users than one response has are listed in order, and each is found', async (t) => {
  const names = Array.from({ length: 1_001 }, (_, n) => `user ${n}`)
  const first = await aUser('first', 'x', { role: 'administrator' })
  const records = names.map((name, n) => ({ ...first, _id: `id-${n}`, name }))
  const { data } = await start(t, { firstUsers: [first, ...records] })
  t.deepEqual(namesIn(await type(['user', 'list'], { BERTH_DATA: data })), ['first', ...names])
  t.regex((await type(['user', 'show', 'FIRST'], { BERTH_DATA: data })).out, /^id\tid-of-first\n/)
})

test('a user is meant by its id, or else by its name in any case', async (t) => {
  const { user } = await given(t)
  const shown = async (typed: string): Promise<unknown> => JSON.parse((await user(['show', typed, '--json'])).out)._id
  t.is(await shown('ALICE'), idOf('alice'))
  t.is(await shown(idOf('alice')), idOf('alice'))
  await user(['add', idOf('alice'), '--role', 'tester', '--id', 'named as an id'])
  t.is(await shown(idOf('alice')), idOf('alice'))
  t.is(await shown('named as an id'), 'named as an id')
})

test('user role and user rename change a user, who keeps id and password', async (t) => {
  const { user, whoIs } = await given(t)
  await user(['passwd', 'bob', '--password-stdin'], 'battery staple')
  const { code, out } = await user(['role', 'Bob', 'auditor'])
  t.deepEqual([code, out], [0, `bob (${idOf('bob')}) is auditor\n`])
  t.is((await user(['rename', 'bob', 'Robert'])).out, `renamed bob (${idOf('bob')}) to Robert\n`)
  t.like(JSON.parse((await user(['show', 'robert', '--json'])).out), {
    _id: idOf('bob'),
    name: 'Robert',
    role: 'auditor',
  })
  t.deepEqual(
    [await whoIs('bob', 'battery staple'), await whoIs('robert', 'battery staple')],
    ['unauthenticated', idOf('bob')],
  )
  t.is((await user(['rename', 'robert', 'ROBERT'])).code, 0)
})

test('user passwd prints a generated password, and the old one is invalid', async (t) => {
  const { user, whoIs } = await given(t)
  const made = await user(['passwd', 'alice'])
  t.regex(made.out, /^[0-9a-z]{26}\n$/)
  t.is(await whoIs('alice', made.out.trimEnd()), idOf('alice'))
  t.deepEqual(await user(['passwd', 'alice', '--password-stdin'], 'battery staple'), { code: 0, out: '', error: '' })
  t.is(await whoIs('alice', 'battery staple'), idOf('alice'))
  t.is(await whoIs('alice', made.out.trimEnd()), 'unauthenticated')
})

/** Reservations of a user: one that runs, and later ones. */
const reserve = async (service: Running, name: string, later: number): Promise<void> => {
  const sut_id = await createSut(service.as('admin'))
  for (let n = 0; n <= later; n++) {
    await reserved(service.as('admin'), { user_id: idOf(name), sut_id, start_in: n * 3_600, duration: 900 })
  }
}

test('user remove prints the user and the number of their remaining reservations', async (t) => {
  const { service, user, whoIs } = await given(t)
  await reserve(service, 'bob', 2)
  await reserve(service, 'alice', 0)
  const remove = async (name: string) => (await user(['remove', name, '--reservations', 'keep'])).out
  t.is(await remove('BOB'), `removed bob (${idOf('bob')}); 3 reservations of this user remain\n`)
  t.is(await remove('alice'), `removed alice (${idOf('alice')}); 1 reservation of this user remains\n`)
  t.is(await remove('audrey'), `removed audrey (${idOf('audrey')}); no reservation of this user remains\n`)
  t.is(await whoIs('bob', 'the password of bob'), 'unauthenticated')
  t.is((await service.as('admin').get(`/api/sut_reservation?user_id=${idOf('bob')}`)).json.count, 3)
})

test('user remove with all reservations prints how many were cancelled and released', async (t) => {
  const { service, user } = await given(t)
  await reserve(service, 'bob', 2)
  const removed = await user(['remove', 'bob', '--reservations', 'cancel'])
  t.is(removed.out, `removed bob (${idOf('bob')}); 2 reservations cancelled, 1 released\n`)
  const again = await user(['remove', idOf('bob'), '--reservations', 'cancel'])
  t.deepEqual([again.code, again.out], [0, `removed bob (${idOf('bob')}); 0 reservations cancelled, 0 released\n`])
})

test('removed users are shown, restored and erased by their names, and several of one name by their ids', async (t) => {
  const { user } = await given(t)
  const add = (id: string) => user(['add', 'Carol', '--role', 'tester', '--id', id])
  const remove = () => user(['remove', 'carol', '--reservations', 'keep'])
  await add('carol-1')
  await remove()
  t.regex((await user(['show', 'carol'])).out, /^id\tcarol-1\nname\tCarol\nrole\ttester\nstatus\tremoved\n/)
  t.is((await user(['restore', 'CAROL'])).out, 'restored Carol (carol-1)\n')
  await remove()
  await add('carol-2')
  t.regex((await user(['show', 'carol'])).out, /^id\tcarol-2\n[\s\S]*status\tpresent\n/)
  t.regex((await user(['restore', 'carol'])).error, /409 user_name_taken/)
  await remove()
  for (const command of ['show', 'restore', 'erase']) {
    const { code, out, error } = await user([command, 'carol'])
    t.deepEqual([code, out], [1, ''])
    t.is(error, 'berth: several removed users have the name "carol"; use an id: carol-1, carol-2\n')
  }
  t.is((await user(['erase', 'carol-1'])).out, 'erased carol-1\n')
  t.is((await user(['restore', 'carol'])).out, 'restored Carol (carol-2)\n')
  t.deepEqual((await user(['list', '--removed'])).out.trimEnd().split('\n').slice(-2), [
    'carol-1\ttester\tcarol-1\terased',
    'carol-2\ttester\tCarol',
  ])
  t.regex((await user(['restore', 'carol-1'])).error, /409 user_erased/)
  t.deepEqual(namesIn(await user(['list'])), [...PEOPLE, 'Carol'])
})

test('a name that begins with a dash is accepted after two dashes', async (t) => {
  const { user } = await given(t)
  t.is((await user(['add', '--role', 'tester', '--', '-carol'])).code, 0)
  t.regex((await user(['list'])).out, /\t-carol\n$/)
})
