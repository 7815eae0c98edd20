import test from 'ava'
import { lab, said } from '../../lab.ts'
import { aSut } from '../../requests.ts'

const tooLong = '\u{1f5a5}'.repeat(4097)
const CONTROL = ['\u0000', '\u0007', '\u001f', '\u007f', '\u0085', '\u009f']

/** Invalid values of each field. */
const REFUSED: Readonly<Record<string, readonly unknown[]>> = {
  name: ['', '\u{1f5a5}'.repeat(257), 'a\nb', 'a\tb', ...CONTROL, '\ud83d', 1, null, ['a']],
  description: [tooLong, ...CONTROL, '\ude00', true, null],
  address: ['', '10.0.0.1:22', 1, null],
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

const READ_ONLY = ['_id', 'created_at', 'updated_at', 'listen_port', 'monitoring']

test('an invalid field, or one that the service assigns, is refused and named, in creation and update', async (t) => {
  const { ask, recorded, sut } = await lab(t)
  const both = async (field: string, value: unknown, code: string): Promise<void> => {
    for (const [path, body] of [
      ['create', aSut({ [field]: value })],
      [`${sut}/update`, { [field]: value }],
    ] as const) {
      const refused = said(await ask('admin', `POST /api/sut/${path}`, body))
      t.is(refused, `422 ${code} #/${field}`, `${path} ${JSON.stringify(value).slice(0, 40)}`)
    }
  }
  for (const [field, values] of Object.entries(REFUSED)) for (const value of values) await both(field, value, 'invalid')
  for (const field of READ_ONLY) await both(field, 'x', 'field_read_only')
  for (const field of ['name', 'address', 'port', 'sut_type']) {
    const { [field]: _, ...others } = aSut()
    t.is(
      said(await ask('admin', 'POST /api/sut/create', others)),
      `422 invalid #/${field}`,
      'is required for a new SUT',
    )
  }
  t.deepEqual(await recorded(), [])
})

test('every other string accepts 4096 characters, in creation and update', async (t) => {
  const { ask, sut } = await lab(t)
  const longest = '\u{1f5a5}'.repeat(4096)
  for (const field of ['description', 'manufacturer', 'model', 'os', 'version', 'password', 'user_name']) {
    const body = { [field]: longest }
    const created = await ask('admin', 'POST /api/sut/create', aSut(body))
    const updated = await ask('admin', `POST /api/sut/${sut}/update`, body)
    t.deepEqual([created.status, updated.status], [201, 200], field)
    const expected = field === 'password' || field === 'user_name' ? undefined : longest
    t.deepEqual([created.json[field], updated.json[field]], [expected, expected], field)
  }
})
