/** Machines by name: the commands of `sut`, and names in place of ids in others. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { idOf } from '../http/harness.ts'
import { aReservation, createSut, reserved } from '../http/requests.ts'
import { logOf } from '../http/store/log-rows.ts'
import { follow } from './transcript.ts'
import { besideService } from './users/stage.ts'

const given = async (t: ExecutionContext) => {
  const { service, berth, run, at } = await besideService(t)
  const importing = async (text: string, ...more: readonly string[]) => {
    const file = join(service.data, 'lab.csv')
    await writeFile(file, text)
    return run(['sut', 'import', file, ...more])
  }
  const alice = async (transcript: string) => follow(t, transcript, await at('alice'))
  return { service, berth, alice, importing }
}

const ADD = 'sut add lab-1 --address 192.168.9.5 --port 5900 --type vnc'

test('a machine is added, listed, shown, changed, tagged and retired by its name', async (t) => {
  const { berth } = await given(t)
  const id = (await berth(`$ berth ${ADD} --tags rack=4,team=qa1 --os linux\n<id>`)).trim()
  await berth(`
$ berth sut list --tags rack=4
${id}	lab-1		192.168.9.5	5900	vnc	true			linux		…SUT Monitoring Disabled…	rack=4,team=qa1	-	…
$ berth sut list --name lab-2
$ berth sut show LAB-1
_id	${id}
…
name	lab-1
…
os	linux
…
$ berth sut update lab-1 --name lab-2 --active false --reason 'new disk' --if-match 0
…
name	lab-2
…
is_active	false
…
$ berth sut update lab-2 --os x --if-match 0
berth: 412 stale: The SUT has changed. Its ETag is now "1": read it again and retry.
# exit 1
$ berth sut tags ${id} --set gpu=none --remove team,rack
…
tags	gpu=none
$ berth sut monitoring lab-2 --enabled true --interval 30
_id	${id}
…
$ berth sut availability lab-2
free	[]
next	-
$ berth sut retire lab-2
_id	${id}
…
$ berth sut show lab-2
_id	${id}
…
$ berth sut show lab-3
berth: there is no SUT "lab-3"
# exit 1
$ berth history LAB-2
…
<time>	command-line (administrator)	SutUpdated	name: "lab-1" -> "lab-2", is_active: true -> false	"new disk"
…`)
})

test('what is wrong is said, and nothing is recorded', async (t) => {
  const { berth, service } = await given(t)
  await berth(`
$ berth sut add x --port 5900 --type vnc
berth: a --address is required
usage: sut add NAME …
# exit 2
$ berth ${ADD} --rdp-width wide
berth: 422 invalid: rdp_width must be a whole number…
# exit 1
$ berth ${ADD} --tags rack
berth: the tags must be like …
# exit 2
$ berth sut update lab-1
berth: an option is required
…
# exit 2
$ berth sut tags lab-1
berth: an option is required
…
# exit 2`)
  t.is((await logOf(service)).length, 0)
})

test('a name that several machines have is refused with their ids, and an id always counts', async (t) => {
  const { berth, service } = await given(t)
  const admin = service.as('admin')
  const [one, two] = [await createSut(admin, { name: 'Lab-1' }), await createSut(admin, { name: 'LAB-1' })]
  await createSut(admin, { name: one })
  await berth(`
$ berth sut show lab-1
berth: several SUTs have the name "lab-1"; use an id: ${two}, ${one}
# exit 1
$ berth sut show Lab-1
_id	${one}
…
$ berth sut show ${one}
_id	${one}
…`)
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
  const wrong = await importing('name,address,port,sut_type,tag.-\n\n"x\ny",a.lab,http,vnc,1\nz,a.lab,1,x,\n')
  t.is(wrong.code, 1)
  const [why, ...problems] = wrong.error.trimEnd().split('\n')
  t.regex(why ?? '', /^berth: 422 invalid: suts\/0\/name/)
  t.deepEqual(
    problems.map((each) => each.split(':')[1]),
    [' line 3, column name', ' line 3, column port', ' line 3, column tag.-', ' line 5, column sut_type'],
  )
  const unknown = /^berth: line 1 must name only the columns name, description, .*, and tag\.<name>; field 2 is none/
  t.regex((await importing('name,colour\n')).error, unknown)
  t.is((await logOf(service)).length, 0)
})

test('an operation without a command by hand is a command too, with names of machines and users in place of ids', async (t) => {
  const { berth, alice, service } = await given(t)
  const sut = await createSut(service.as('admin'), { name: 'lab-1' })
  const window = '--start-time 2030-05-03T06:00:00Z --end-time 2030-05-03T07:00:00Z'
  const id = (await berth(`$ berth reservation add --sut LAB-1 --user alice ${window}\n<id>`)).trim()
  await berth(`
$ berth reservation list --sut lab-1 --user ALICE --json
{"_id":"${id}",…"user_id":"${idOf('alice')}","sut_id":"${sut}",…}
$ berth reservation list --sut lab-9
berth: there is no SUT "lab-9"
# exit 1
$ berth session list --sut lab-1 --user alice
$ berth session list --user malory
berth: there is no user "malory"
# exit 1
$ berth events list --actor admin --type SutCreated
events	[{…"type":"berth.SutCreated"…}]
…`)
  await alice(`
$ berth reservation list --include names
${id}	…	lab-1	…
$ berth reservation list --current
$ berth reservation extend ${id} --by 1800
…
end_time	2030-05-03T07:30:00+00:00
…
$ berth reservation extend ${id}
berth: an option is required
…
# exit 2
$ berth reservation cancel none
berth: 404 reservation_not_found: …
# exit 1
$ berth reservation cancel ${id}
…
$ berth request add --match name=lab-1 --duration 900 --wait 900
<id>`)
})

test('a list is whole unless a limit is given', async (t) => {
  const { berth, service } = await given(t)
  for (let n = 1; n <= 3; n++) await createSut(service.as('admin'), { name: `lab-${n}` })
  await berth(`
$ berth sut list
<id>	lab-3	…
<id>	lab-2	…
<id>	lab-1	…
$ berth sut list --limit 1 --offset 1
<id>	lab-2	…`)
  const [, ...others] = (await berth('$ berth sut list --limit 1 --offset 1\n…')).trimEnd().split('\n')
  t.deepEqual(others, [])
})

test('"history --at" says who held a SUT at a time, or nobody, and refuses what is not a SUT or in the past', async (t) => {
  const { berth, service } = await given(t)
  const sut = await createSut(service.as('admin'), { name: 'lab-1' })
  const window = { start_time: '2030-05-02T05:45:00Z', end_time: '2030-05-02T06:30:00Z' }
  const { json } = await reserved(service.as('alice'), aReservation(sut, { ...window, user_id: idOf('alice') }))
  service.clock.set('2030-05-02T06:00:00.000Z')
  await berth(`
$ berth history lab-1 --at 2030-05-02T05:58:12Z
alice	${idOf('alice')}	${json._id}	2030-05-02T05:45:00+00:00	2030-05-02T06:30:00+00:00
$ berth history ${sut} --at 2030-05-02T05:58:12Z --json
{…"sut_reservations":[{"_id":"${json._id}",…}]…}
$ berth history ${sut} --at 2030-05-02T05:58:11Z
nobody
$ berth history lab-9 --at 2030-05-02T05:58:12Z
berth: there is no SUT "lab-9"
# exit 1
$ berth history ${sut} --at 2030-05-02T06:00:01Z
berth: 422 invalid: …
# exit 1`)
})

test('a line of a history has the changes and what the event decided, though no member changed', async (t) => {
  const { berth, service } = await given(t)
  const admin = service.as('admin')
  const sut_id = await createSut(admin)
  const beyond = { sut_id, user_id: idOf('bob'), start_in: 0, duration: 900, beyond_quota: true }
  const { json } = await reserved(admin, beyond)
  await admin.post(`/api/user/${idOf('bob')}/logout`, {})
  await admin.post(`/api/user/${idOf('bob')}/remove`, { reservations: 'keep' })
  await berth(`
$ berth history ${json._id}
<time>	admin (administrator)	ReservationCreated	…beyond_quota: true
$ berth history bob
<time>	berth (system)	UserAdded	role: "tester"…name changed, password changed
<time>	admin (administrator)	UserChanged	sessions ended
<time>	admin (administrator)	UserRemoved	…reservations: "keep"…
$ berth history 58c38f5d444553252cce0000
berth: the service knows no SUT, reservation or user "58c38f5d444553252cce0000"
# exit 1`)
})
