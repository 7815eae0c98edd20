import test from 'ava'
import { type Running, start, tidyingLater } from '../../harness.ts'
import { faultsOf, refusalOf } from '../../refusals/problems.ts'
import { aSut, createSut, NOW } from '../../requests.ts'
import { logOf } from '../../store/log-rows.ts'

/** Shows behaviour/suts-and-reservations.md: limits of SUT fields, the same for creation and update. */

const later = tidyingLater()
let service: Running
let path: string

test.before(async () => {
  service = await start(later, { now: NOW })
  path = `/api/sut/${await createSut(service.as('admin'))}/update`
})
test.after.always(later.tidy)

const tooLong = '\u{1f5a5}'.repeat(4097)
const CONTROL = ['\u0000', '\u0007', '\u001f', '\u007f', '\u0085', '\u009f']
const ADDRESSES = ['', ' ', '256.1.1.1', '1.2.3', '01.2.3.4', '10.0.0.1:22', '[::1]', ':::', 'a_b', '-a', 'a-', 'a..b']
const MORE_ADDRESSES = [
  'a b',
  'http://a',
  'a/b',
  `${'a'.repeat(64)}.b`,
  `${'a.'.repeat(127)}b`,
  'fe80::1%eth0',
  'ä.de',
  '1',
  '0x1',
]

/** Invalid values of each field. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  name: ['', '\u{1f5a5}'.repeat(257), 'a\nb', 'a\tb', ...CONTROL, '\ud83d', 1, null, ['a']],
  description: [tooLong, ...CONTROL, '\ude00', true, null],
  address: [...ADDRESSES, ...MORE_ADDRESSES, 1, null],
  port: [0, -1, 65536, 1.5, '22', null],
  sut_type: ['', 'VNC', 'ssh', null, 1],
  is_active: ['true', 1, 0, null, ''],
  manufacturer: [tooLong, 'a\nb', ...CONTROL, null],
  model: [tooLong, 'a\rb', 7],
  os: [tooLong, 'a\tb', {}],
  version: [tooLong, '\udc00', 10],
  password: [tooLong, 'a\nb', '\ud83d', 1, null],
  user_name: [tooLong, '\u0000', null],
  rdp_height: [0, 16385, 1.5, '800', null],
  rdp_width: [0, 16385, -1, '800', null],
  turnaround: [-1, 86_401, 0.5, '900', null],
  release_unused_after: [-1, 299, 86_401, 300.5, '300', null],
}

for (const [field, values] of Object.entries(REFUSED)) {
  test(`an invalid ${field} is refused and named, in creation and update`, async (t) => {
    for (const value of values) {
      const answers = [
        await service.as('admin').post('/api/sut/create', aSut({ [field]: value })),
        await service.as('admin').post(path, { [field]: value }),
      ]
      for (const answer of answers) {
        t.deepEqual(refusalOf(answer), [422, 'invalid', `#/${field}`], JSON.stringify(value).slice(0, 40))
        t.deepEqual(faultsOf(answer), [])
      }
    }
    t.is((await logOf(service)).length, 2)
  })
}

test('every other string accepts 4096 characters, in creation and update', async (t) => {
  const own = await start(t, { now: NOW })
  const longest = '\u{1f5a5}'.repeat(4096)
  for (const field of ['description', 'manufacturer', 'model', 'os', 'version', 'password', 'user_name']) {
    const body = { [field]: longest }
    const created = await own.as('admin').post('/api/sut/create', aSut(body))
    const updated = await own.as('admin').post(`/api/sut/${await createSut(own.as('admin'))}/update`, body)
    t.deepEqual([created.status, updated.status], [201, 200], field)
    const expected = field === 'password' || field === 'user_name' ? undefined : longest
    t.deepEqual([created.json[field], updated.json[field]], [expected, expected], field)
  }
})

for (const field of ['name', 'address', 'port', 'sut_type']) {
  test(`${field} is required for a new SUT`, async (t) => {
    const { [field]: _, ...others } = aSut()
    const answer = await service.as('admin').post('/api/sut/create', others)
    t.deepEqual(refusalOf(answer), [422, 'invalid', `#/${field}`])
    t.deepEqual(faultsOf(answer), [])
  })
}

for (const field of ['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring']) {
  test(`${field} is read-only, in creation and update`, async (t) => {
    const answers = [
      await service.as('admin').post('/api/sut/create', aSut({ [field]: 'x' })),
      await service.as('admin').post(path, { [field]: 'x' }),
    ]
    for (const answer of answers) t.deepEqual(refusalOf(answer), [422, 'field_read_only', `#/${field}`])
  })
}
