import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { passwordOf } from '../http/client.ts'
import { idOf, start } from '../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../http/requests.ts'
import { logOf } from '../http/store/log-rows.ts'
import { type } from './terminal.ts'

/** Machines by name: the commands of `sut`, and names in place of ids in others. */

const given = async (t: ExecutionContext) => {
  const service = await start(t, { now: NOW })
  const berth = (...line: readonly string[]) => type(line, { BERTH_DATA: service.data })
  const at = async (name: string) => {
    const file = join(service.data, `${name}.credentials`)
    await writeFile(file, `${name}:${passwordOf(name)}\n`, { mode: 0o600 })
    return (...line: readonly string[]) => type(line, { BERTH_URL: service.url, BERTH_CREDENTIALS_FILE: file })
  }
  const importing = async (text: string | Uint8Array, ...more: readonly string[]) => {
    const file = join(service.data, 'lab.csv')
    await writeFile(file, text)
    return berth('sut', 'import', file, ...more)
  }
  return { service, berth, at, importing }
}

const ADD = ['sut', 'add', 'lab-1', '--address', '192.168.9.5', '--port', '5900', '--type', 'vnc']

test('a machine is added, listed, shown, changed, tagged and retired by its name', async (t) => {
  const { berth, service } = await given(t)
  const added = await berth(...ADD, '--tags', 'rack=4,team=qa1', '--os', 'linux')
  t.deepEqual([added.code, added.error], [0, ''])
  const id = added.out.trim()
  const row = (name: string, tags: string) =>
    `^${id}\t${name}\t\t192.168.9.5\t5900\tvnc\ttrue\t\t\tlinux\t\t[^\t]*SUT Monitoring Disabled[^\t]*\t${tags}\t-\t`
  t.regex((await berth('sut', 'list', '--tags', 'rack=4')).out, new RegExp(row('lab-1', 'rack=4,team=qa1')))
  t.is((await berth('sut', 'list', '--name', 'lab-2')).out, '')
  t.regex((await berth('sut', 'show', 'LAB-1')).out, new RegExp(`^_id\t${id}\n.*\nname\tlab-1\n.*\nos\tlinux\n`, 's'))
  t.regex((await berth('sut', 'update', 'lab-1', '--name', 'lab-2', '--active', 'false')).out, /^name\tlab-2$/m)
  t.like((await service.as('admin').get(`/api/sut/${id}`)).json, { name: 'lab-2', is_active: false, os: 'linux' })
  t.is((await berth('sut', 'tags', id, '--set', 'gpu=none', '--remove', 'team,rack')).out, 'gpu=none\n')
  t.is((await berth('sut', 'retire', 'lab-2')).code, 0)
  t.is((await berth('sut', 'show', 'lab-2')).error, 'berth: there is no SUT "lab-2"\n')
  t.deepEqual(JSON.parse((await berth('sut', 'show', id, '--json')).out)._id, id)
})

test('what is wrong is said, and nothing is recorded', async (t) => {
  const { berth, service } = await given(t)
  const [, , , ...without] = ADD
  t.deepEqual([(await berth('sut', 'add', 'x', ...without.slice(2))).code, (await logOf(service)).length], [2, 0])
  t.regex((await berth(...ADD, '--rdp-width', 'wide')).error, /^berth: 422 invalid: rdp_width must be a whole number/)
  t.regex((await berth(...ADD, '--tags', 'rack')).error, /^berth: the tags must be like/)
  t.is((await berth('sut', 'update', 'lab-1')).code, 2)
  t.is((await berth('sut', 'tags', 'lab-1')).code, 2)
  t.is((await logOf(service)).length, 0)
})

test('a name that several machines have is refused with their ids, and an id always counts', async (t) => {
  const { berth, service } = await given(t)
  const admin = service.as('admin')
  const [one, two] = [await createSut(admin, { name: 'Lab-1' }), await createSut(admin, { name: 'LAB-1' })]
  const { code, error } = await berth('sut', 'show', 'lab-1')
  t.deepEqual([code, error], [1, `berth: several SUTs have the name "lab-1"; use an id: ${two}, ${one}\n`])
  t.regex((await berth('sut', 'show', 'Lab-1')).out, new RegExp(`^_id\t${one}\n`))
  const named = await createSut(admin, { name: one })
  t.regex((await berth('sut', 'show', one)).out, new RegExp(`^_id\t${one}\n`))
  t.regex((await berth('sut', 'show', named)).out, new RegExp(`^_id\t${named}\n`))
})

test('a file of machines is added once, however often it is imported', async (t) => {
  const { importing, service } = await given(t)
  const csv =
    'name,address,port,sut_type,is_active,tag.rack,tag.team\n"lab, 1",a.lab,5900,vnc,false,4,qa1\nlab 2,b.lab,22,tcp,,4,\n'
  const dry = await importing(csv, '--dry-run')
  t.deepEqual([dry.code, dry.out, dry.error], [0, '', 'berth: 2 SUTs would be added; nothing was changed\n'])
  t.is((await logOf(service)).length, 0)
  const first = await importing(csv)
  t.deepEqual([first.code, first.error], [0, 'berth: 2 SUTs added\n'])
  const [one, two] = first.out.trimEnd().split('\n')
  t.deepEqual([one?.split('\t')[1], two?.split('\t')[1]], ['lab, 1', 'lab 2'])
  t.like((await service.as('admin').get(`/api/sut/${one?.split('\t')[0]}`)).json, {
    ...{ is_active: false, port: 5900, tags: { rack: '4', team: 'qa1' } },
  })
  t.is((await importing(csv)).out, first.out)
  t.is((await logOf(service)).length, 4)
})

test('every problem of a file of machines is printed with its line and column', async (t) => {
  const { importing, service } = await given(t)
  const wrong = await importing('name,address,port,sut_type,tag.a\n\n"x\ny",a.lab,http,vnc,\nz,a.lab,1,x,\n')
  t.is(wrong.code, 1)
  const lines = wrong.error.trimEnd().split('\n')
  t.regex(lines[0] ?? '', /^berth: 422 invalid: suts\/0\/name/)
  t.deepEqual(
    lines.slice(1).map((each) => each.split(':')[1]),
    [' line 3, column name', ' line 3, column port', ' line 5, column sut_type'],
  )
  const unknown = /^berth: line 1 must name only the columns name, description, .* for tags; field 2 is none of them\n$/
  t.regex((await importing('name,colour\n')).error, unknown)
  t.is((await importing('name,port,name\n')).error, 'berth: line 1 must name each column once\n')
  t.regex((await importing('name,port\nx\n')).error, /^berth: line 2 has 1 fields; the header names 2/)
  t.regex((await importing('name,port\n"x\n')).error, /^berth: line 2, column 1: is a quote that is never closed/)
  t.is((await importing(Buffer.from('name,os\né,x\n', 'latin1'))).error, 'berth: line 2 must be in UTF-8\n')
  t.is((await importing('name,port\n')).error, 'berth: the file has no SUTs\n')
  t.regex((await importing('name,tag.-\nx,1\n')).error, /line 2, column tag\.-: must be 1 to 64/)
  t.is((await logOf(service)).length, 0)
})

test('sessions are listed by the names of machine and user, and connect takes the name of a machine', async (t) => {
  const { berth, at, service } = await given(t)
  const sut = await createSut(service.as('admin'), { name: 'lab-1' })
  const alice = await at('alice')
  t.is((await alice('connect', 'lab-1')).error, 'berth: you have no running reservation of "lab-1"\n')
  t.is((await berth('connect', 'lab-1')).error, 'berth: nobody has a running reservation of "lab-1"\n')
  await reserved(service.as('alice'), { sut_id: sut, start_in: 0, duration: 900 })
  await reserved(
    service.as('alice'),
    aReservation(sut, { start_time: '2030-05-03T06:00:00Z', end_time: '2030-05-03T07:00:00Z' }),
  )
  t.regex((await alice('connect', 'lab-1')).error, /^berth: this instance does not forward the machine/)
  t.regex((await berth('connect', 'lab-1')).error, /^berth: this instance does not forward the machine/)
  t.is((await (await at('bob'))('connect', 'lab-1')).error, 'berth: you have no running reservation of "lab-1"\n')
  t.deepEqual((await berth('session', 'list', '--sut', 'lab-1', '--user', 'alice')).code, 0)
  t.is((await berth('session', 'list', '--sut', 'lab-9')).error, 'berth: there is no SUT "lab-9"\n')
  t.is((await berth('session', 'list', '--user', 'malory')).error, 'berth: there is no user "malory"\n')
  t.deepEqual((await berth('session', 'list', '--user', idOf('alice'))).code, 0)
})

test('an operation without a command by hand is a command too, with names of machines and users in place of ids', async (t) => {
  const { berth, at, service } = await given(t)
  const sut = await createSut(service.as('admin'), { name: 'lab-1' })
  const window = ['--start-time', '2030-05-03T06:00:00Z', '--end-time', '2030-05-03T07:00:00Z']
  const added = await berth('reservation', 'add', '--sut', 'LAB-1', '--user', 'alice', ...window)
  t.deepEqual([added.code, added.error], [0, ''])
  const id = added.out.trim()
  const [listed = ''] = (await berth('reservation', 'list', '--sut', 'lab-1', '--user', 'alice', '--json')).out.split(
    '\n',
  )
  t.like(JSON.parse(listed), { _id: id, sut_id: sut, user_id: idOf('alice') })
  const alice = await at('alice')
  const row = (await alice('reservation', 'list', '--include', 'names')).out.split('\t')
  t.deepEqual([row[0], row.includes('lab-1')], [id, true])
  t.is((await alice('reservation', 'list', '--current')).out, '')
  t.regex((await alice('reservation', 'extend', id, '--by', '1800')).out, /^end_time\t2030-05-03T07:30:00/m)
  t.is((await alice('reservation', 'extend', id)).code, 2)
  t.regex((await alice('reservation', 'cancel', 'none')).error, /^berth: 404 reservation_not_found: /)
  t.is((await alice('reservation', 'cancel', id)).code, 0)
  const criteria = ['--match', 'name=lab-1', '--duration', '900', '--wait', '900']
  t.regex((await alice('request', 'add', ...criteria)).out, /^[0-9a-f]{24}\n$/)
  t.regex((await berth('sut', 'monitoring', 'lab-1', '--enabled', 'true', '--interval', '30')).out, /^_id\t/)
  t.deepEqual(JSON.parse((await berth('sut', 'availability', sut, '--json')).out).next, null)
})

test('a list is whole unless a limit is given', async (t) => {
  const { berth, service } = await given(t)
  for (let n = 1; n <= 3; n++) await createSut(service.as('admin'), { name: `lab-${n}` })
  const names = async (...line: readonly string[]) =>
    (await berth('sut', 'list', ...line)).out.split('\n').flatMap((row) => row.split('\t').slice(1, 2))
  t.deepEqual(await names(), ['lab-3', 'lab-2', 'lab-1'])
  t.deepEqual(await names('--limit', '1', '--offset', '1'), ['lab-2'])
})
