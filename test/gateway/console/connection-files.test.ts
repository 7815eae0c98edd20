import test from 'ava'
import type { Answer } from '../../http/client.ts'
import { refusalOf } from '../../http/refusals/problems.ts'
import { createSut } from '../../http/requests.ts'
import { freePorts } from '../peers.ts'
import '../../http/documents/fit-answers.ts'
import { forwarding, NEXT_QUARTER, reserveFor, type Stage } from './stage.ts'

/** Files for viewers. */

const read = ({ service }: Stage, path: string, Accept: string): Promise<Answer> =>
  service.as('alice').get(`${path}/connection`, { Accept })

const RDP = 'application/x-rdp'

test('an rdp SUT has a file with its address and, if known, the size of its desktop', async (t) => {
  const stage = await forwarding(t, { sut_type: 'rdp', rdp_width: 1680, password: 'canary 1', user_name: 'canary 2' })
  const path = await reserveFor(stage, NEXT_QUARTER)
  const { status, headers, text } = await read(stage, path, RDP)
  t.is(status, 200)
  t.is(headers['content-type'], 'application/x-rdp')
  t.is(headers['content-disposition'], `attachment; filename="berth-${stage.listenPort}.rdp"`)
  t.is(headers.vary, 'Accept')
  const address = `full address:s:127.0.0.1:${stage.listenPort}\r\n`
  t.is(text, `${address}desktopwidth:i:1680\r\n`)
  await stage.service.as('admin').post(`/api/sut/${stage.sutId}/update`, { rdp_height: 1050 })
  t.is((await read(stage, path, RDP)).text, `${address}desktopwidth:i:1680\r\ndesktopheight:i:1050\r\n`)
})

test('a file is only for SUTs of its type', async (t) => {
  const [first, , last] = await freePorts(3)
  const stage = await forwarding(t, {}, { environment: { BERTH_LISTEN_PORTS: `${first}-${last}` } })
  const admin = stage.service.as('admin')
  const pathOf = (sutId: string): Promise<string> => reserveFor({ ...stage, sutId }, NEXT_QUARTER)
  const vnc = await pathOf(stage.sutId)
  const rdp = await pathOf(await createSut(admin, { sut_type: 'rdp' }))
  const tcp = await pathOf(await createSut(admin, { sut_type: 'tcp' }))
  const JSON_TYPE = 'application/json'
  const cases: readonly (readonly [path: string, accept: string, mediaType: string | undefined])[] = [
    [vnc, 'application/x-vnc', 'application/x-vnc'],
    [vnc, 'application/x-rdp', undefined],
    [rdp, 'application/x-rdp', 'application/x-rdp'],
    [rdp, 'application/x-vnc', undefined],
    [tcp, 'application/x-vnc, application/x-rdp', undefined],
    [tcp, '*/*', JSON_TYPE],
    [vnc, 'application/*', JSON_TYPE],
    [vnc, 'application/x-rdp, application/json;q=0.5', JSON_TYPE],
    [rdp, 'application/x-rdp, application/json;q=0.5', 'application/x-rdp'],
    [rdp, 'text/html', undefined],
  ]
  for (const [path, accept, mediaType] of cases) {
    const answer = await read(stage, path, accept)
    if (mediaType === undefined) t.deepEqual(refusalOf(answer), [406, 'not_acceptable'], accept)
    else t.is(answer.headers['content-type'], mediaType, accept)
  }
})
