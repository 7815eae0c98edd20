import { spawn } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { passwordOf } from '../../http/client.ts'
import { idOf, type Running, temporaryData } from '../../http/harness.ts'
import { createSut, NOW, reserved } from '../../http/requests.ts'
import { COMPILED, ROOT } from '../../process/harness.ts'
import { aUser } from '../../users/builders.ts'
import { type Ran, type } from '../terminal.ts'
import { besideService, PEOPLE } from './stage.ts'

/** The commands that change users and tokens, beside a running service. */

const namesIn = ({ out }: Ran): readonly unknown[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[2])

test('user add prints the new id and a generated password', async (t) => {
  const { user, whoIs } = await besideService(t)
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
  const { user, whoIs } = await besideService(t)
  const line = ['add', 'carol', '--role=auditor', '--id', 'carol 7', '--password-stdin']
  t.deepEqual(await user(line, 'correct horse\n'), { code: 0, out: 'carol 7\n', error: '' })
  t.is(await whoIs('carol', 'correct horse'), 'carol 7')
})

test('one line break after a given password is dropped, and only one', async (t) => {
  const { user, whoIs } = await besideService(t)
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

test('user list prints id, role and name in the order of adding', async (t) => {
  const { user } = await besideService(t)
  await user(['add', 'Ann Bee', '--role', 'auditor', '--id', 'a'])
  const { code, out, error } = await user(['list'])
  t.deepEqual([code, error], [0, ''])
  t.deepEqual(out.split('\n').slice(-3), [`${idOf('audrey')}\tauditor\taudrey`, 'a\tauditor\tAnn Bee', ''])
  t.deepEqual(namesIn({ code, out, error }), [...PEOPLE, 'Ann Bee'])
})

test('user list --json prints a JSON object with the users as the service shows them', async (t) => {
  const { service, user } = await besideService(t)
  await user(['add', 'Ann "B"', '--role', 'auditor', '--id', 'a'])
  const { code, out } = await user(['list', '--json'])
  t.is(code, 0)
  const { users } = (await service.as('admin').get('/api/user')).json as { users: readonly object[] }
  t.deepEqual(JSON.parse(out), { users: users.toReversed() })
  t.like(users[0], { _id: 'a', name: 'Ann "B"', role: 'auditor' })
})

test('thorough: more users than one response has are listed in order, and each is found', async (t) => {
  const names = Array.from({ length: 1_001 }, (_, n) => `user ${n}`)
  const first = await aUser('first', 'x', { role: 'administrator' })
  const records = names.map((name, n) => ({ ...first, _id: `id-${n}`, name }))
  const { user } = await besideService(t, { firstUsers: [first, ...records] })
  t.deepEqual(namesIn(await user(['list'])), ['first', ...names])
  t.regex((await user(['show', 'FIRST'])).out, /^id\tid-of-first\n/)
})

test('a user is meant by its id, or else by its name in any case', async (t) => {
  const { user } = await besideService(t)
  const shown = async (typed: string): Promise<unknown> => JSON.parse((await user(['show', typed, '--json'])).out)._id
  t.is(await shown('ALICE'), idOf('alice'))
  t.is(await shown(idOf('alice')), idOf('alice'))
  await user(['add', idOf('alice'), '--role', 'tester', '--id', 'named as an id'])
  t.is(await shown(idOf('alice')), idOf('alice'))
  t.is(await shown('named as an id'), 'named as an id')
})

test('user update changes the name and the role of a user, who keeps id and password', async (t) => {
  const { user, whoIs } = await besideService(t)
  await user(['passwd', 'bob', '--password-stdin'], 'battery staple')
  const { code, out } = await user(['update', 'Bob', '--role', 'auditor'])
  t.is(code, 0)
  t.regex(out, /^role\tauditor$/m)
  t.regex((await user(['update', 'bob', '--name', 'Robert'])).out, /^name\tRobert$/m)
  t.like(JSON.parse((await user(['show', 'robert', '--json'])).out), {
    _id: idOf('bob'),
    name: 'Robert',
    role: 'auditor',
  })
  t.deepEqual(
    [await whoIs('bob', 'battery staple'), await whoIs('robert', 'battery staple')],
    ['unauthenticated', idOf('bob')],
  )
  t.is((await user(['update', 'robert', '--name', 'ROBERT'])).code, 0)
})

test('user passwd prints a generated password, and the old one is invalid', async (t) => {
  const { user, whoIs } = await besideService(t)
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
  const { service, user, whoIs } = await besideService(t)
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
  const { service, user } = await besideService(t)
  await reserve(service, 'bob', 2)
  const removed = await user(['remove', 'bob', '--reservations', 'cancel'])
  t.is(removed.out, `removed bob (${idOf('bob')}); 2 reservations cancelled, 1 released\n`)
  const again = await user(['remove', idOf('bob'), '--reservations', 'cancel'])
  t.deepEqual([again.code, again.out], [0, `removed bob (${idOf('bob')}); 0 reservations cancelled, 0 released\n`])
})

test('removed users are shown, restored and erased by their names, and several of one name by their ids', async (t) => {
  const { user } = await besideService(t)
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
  const { user } = await besideService(t)
  t.is((await user(['add', '--role', 'tester', '--', '-carol'])).code, 0)
  t.regex((await user(['list'])).out, /\t-carol\n$/)
})

test('user update limits a tester, and user add does from the start', async (t) => {
  const { user } = await besideService(t)
  const limitsOf = async (name: string) => {
    const { quota, scope } = JSON.parse((await user(['show', name, '--json'])).out)
    return [quota && [quota.hours_per_week, quota.reservations_max, quota.priority_max], scope]
  }
  const set = await user(['update', 'BOB', '--quota', 'hours_per_week=40, reservations_max=20'])
  const text = 'hours_per_week=40,reservations_max=20,priority_max=none'
  t.deepEqual([set.code, set.error], [0, ''])
  t.regex((await user(['update', 'bob', '--scope', 'team=qa1,rack=4'])).out, /^scope\track=4,team=qa1$/m)
  t.deepEqual(await limitsOf('bob'), [[40, 20, null], 'rack=4,team=qa1'])
  const line = `${idOf('bob')}\ttester\tbob\tquota ${text}\tscope rack=4,team=qa1\n`
  t.true((await user(['list'])).out.includes(line))
  t.true((await user(['show', 'bob'])).out.includes(`\nquota\t${text}\nscope\track=4,team=qa1\nstatus\tpresent\n`))
  t.regex((await user(['update', 'bob', '--quota', 'default', '--scope', ''])).out, /^quota\t-$/m)
  t.deepEqual(await limitsOf('bob'), [null, ''])
  t.is((await user(['add', 'carol', '--role', 'tester', '--quota', 'priority_max=7', '--scope', 'a=b'])).code, 0)
  t.deepEqual(await limitsOf('carol'), [[null, 100, 7], 'a=b'])
})

test('what the command line does with users counts at once, and is in the log without names and passwords', async (t) => {
  const { service, user, whoIs } = await besideService(t)
  const password = (await user(['add', 'Ann Bee', '--role', 'auditor', '--id', 'ann'])).out.split('\n')[1] ?? ''
  await user(['update', 'ann bee', '--role', 'tester'])
  t.is(await whoIs('ann bee', password), 'ann')
  const { events } = (await service.as('admin').get('/api/user/ann/history')).json as { events: readonly object[] }
  t.like(events[0], { type: 'berth.UserAdded', actor: 'command-line', data: { _id: 'ann', role: 'auditor' } })
  t.like(events[1], { type: 'berth.UserChanged', actor: 'command-line', data: { _id: 'ann', role: 'tester' } })
  await user(['remove', 'ann', '--reservations', 'keep'])
  t.is(await whoIs('ann bee', password), 'unauthenticated')
  await user(['restore', 'ann'])
  t.is(await whoIs('ann bee', password), 'ann')
  await service.stop()
  t.false(JSON.stringify(service.log).includes('Ann Bee'))
  for (const name of await readdir(service.data)) {
    const file = await readFile(join(service.data, name))
    t.false(file.includes('Ann Bee') || file.includes(password) || file.includes('argon2id'), name)
  }
})

test('a password is read from standard input and not printed', async (t) => {
  const { service, whoIs } = await besideService(t)
  const line = ['user', 'add', 'carol', '--role', 'tester', '--id', 'c', '--password-stdin']
  const child = spawn(process.execPath, [join(ROOT, 'src/main.ts'), ...line], {
    ...{ env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: COMPILED, BERTH_DATA: service.data } },
    ...{ stdio: ['pipe', 'pipe', 'inherit'] },
  })
  t.teardown(() => child.kill('SIGKILL'))
  child.stdin.end('correct horse battery\n')
  t.is(await text(child.stdout), 'c\n')
  t.is(await whoIs('carol', 'correct horse battery'), 'c')
})

test('users of a service elsewhere are changed at its URL, with the rights of an administrator there', async (t) => {
  const { service, user } = await besideService(t)
  const elsewhere = await temporaryData(t)
  const as = async (name: string) => {
    const file = join(elsewhere, name)
    await writeFile(file, `${name}:${passwordOf(name)}\n`, { mode: 0o600 })
    const environment = { BERTH_DATA: elsewhere, BERTH_URL: service.url, BERTH_CREDENTIALS_FILE: file }
    return type(['user', 'update', 'alice', '--role', 'auditor'], environment)
  }
  const refused = await as('alice')
  t.deepEqual([refused.code, refused.out], [1, ''])
  t.regex(refused.error, /^berth: 403 forbidden: /)
  t.is((await as('admin')).code, 0)
  t.true((await user(['list'])).out.includes('\tauditor\talice\n'))
  t.deepEqual((await readdir(elsewhere)).toSorted(), ['admin', 'alice'])
})

test('token issue prints the id and the token, which works until token revoke', async (t) => {
  const { service, run } = await besideService(t)
  const whoHas = async (text: string): Promise<unknown> => {
    const { json } = await service.anyone.get('/api/sut?limit=1', { Authorization: `Bearer ${text}` })
    return json.code ?? 'let in'
  }
  const issued = await run(['token', 'issue', 'ALICE', '--name', 'nightly build'])
  t.deepEqual([issued.code, issued.error], [0, ''])
  const [id = '', text = '', end] = issued.out.split('\n')
  t.regex(id, /^[0-9a-f]{24}$/)
  t.regex(text, /^berth_[A-Za-z0-9_-]{43}$/)
  t.is(end, '')
  t.is(await whoHas(text), 'let in')
  const revoked = await run(['token', 'revoke', 'alice', id])
  t.deepEqual(revoked, { code: 0, out: `revoked "nightly build" of alice (${idOf('alice')})\n`, error: '' })
  t.is(await whoHas(text), 'unauthenticated')
})

test('token list prints id, role, end and name of the good ones, newest first', async (t) => {
  const { service, run } = await besideService(t)
  const issue = async (...line: readonly string[]) => (await run(['token', 'issue', ...line])).out.split('\n')[0]
  const first = await issue('admin', '--name', 'reads', '--role', 'auditor', '--expires-in', '3600')
  const second = await issue('admin', '--name', 'deploy')
  const listed = `${second}\tadministrator\tnever\tdeploy\n${first}\tauditor\t2030-05-02T06:58:11.400Z\treads\n`
  t.deepEqual(await run(['token', 'list', 'admin']), { code: 0, out: listed, error: '' })
  const { tokens } = (await service.as('admin').get('/api/user/me/token')).json
  t.deepEqual(JSON.parse((await run(['token', 'list', 'admin', '--json'])).out), { tokens })
  service.clock.set('2030-05-02T06:58:11.400Z')
  t.is((await run(['token', 'list', 'admin'])).out, `${second}\tadministrator\tnever\tdeploy\n`)
  t.deepEqual(await run(['token', 'list', 'bob']), {
    code: 0,
    out: '',
    error: `berth: bob (${idOf('bob')}) has no tokens\n`,
  })
})
