/** What the guide says to programs that read the streams in the store. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import test from 'ava'
import { STREAMS } from '../../../../src/domain/values/ids.ts'
import { chapter } from '../../../guide/documents.ts'
import type { Tidying } from '../../../http/harness.ts'
import { aReservation, createSut, NOW, reserved } from '../../../http/requests.ts'
import { ROOT } from '../../../process/harness.ts'
import { noted } from '../protocol/log.ts'
import { startInstances } from './instances.ts'

const { text, blocks } = chapter('eventstoredb.md')
const PROGRAM = blocks.find(({ code }) => code.includes('subscribeToAll'))?.code ?? ''

interface Line {
  readonly position: string
  readonly streamId: string
  readonly revision: string
  readonly id: string
  readonly type: string
  readonly data: object
  readonly metadata: { readonly actor: string; readonly time: string; readonly schema: number }
}

/** The first lines that the guide's program prints. */
const printed = async (t: Tidying, count: number, ...args: readonly string[]): Promise<readonly Line[]> => {
  const program = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, '--', 'subscribe.mjs', ...args], {
    ...{ cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
  })
  t.teardown(async () => {
    program.kill('SIGKILL')
    if (program.exitCode === null && program.signalCode === null) await once(program, 'exit')
  })
  const lines: Line[] = []
  for await (const line of createInterface(program.stdout as NodeJS.ReadableStream)) {
    lines.push(JSON.parse(line) as Line)
    if (lines.length === count) break
  }
  return lines
}

test('the guide’s program subscribes to every event of the log, in its order, and to nothing else', async (t) => {
  const { server, services } = await startInstances(t, { count: 1, now: NOW })
  const service = services[0] as (typeof services)[number]
  server.log.append('users-of-another', 'any', [noted()])
  const sut = await createSut(service.as('admin'), { password: 'secret of the SUT' })
  await reserved(service.as('alice'), aReservation(sut))
  await service.as('alice').post('/api/sut_request/create', { sut_id: sut, duration: 900 })
  await service.as('admin').post(`/api/user/create`, { name: 'zoe', role: 'tester' })
  const { events } = (await service.as('admin').get('/api/events?limit=1000')).json as {
    events: readonly {
      id: string
      type: string
      stream: string
      revision: number
      data: object
      time: string
      actor: string
    }[]
  }
  const lines = await printed(t, events.length, server.address)
  t.deepEqual(
    lines.map(({ id, type, streamId, revision, data, metadata: { time, actor } }) => ({
      ...{ id, type: `berth.${type}`, stream: streamId, revision: Number(revision), data, time, actor },
    })),
    events.map(({ id, type, stream, revision, data, time, actor }) => ({
      id,
      type,
      stream,
      revision,
      data,
      time,
      actor,
    })),
  )
  t.false(JSON.stringify(lines).includes('secret of the SUT'))
  const [last, again] = [lines.at(-3), await printed(t, 2, server.address, String(lines.at(-3)?.position))]
  t.true(last !== undefined)
  t.deepEqual(again, lines.slice(-2))
})

test('the guide names every stream, and the filter of its program lets each of them through', (t) => {
  const [, section = ''] = text.split('\n## Reading the streams\n')
  const named = [...section.matchAll(/^\|`([a-zA-Z]+-?)(?:<[^>]*>)?`\|/gm)].map(([, name = '']) => name)
  t.deepEqual(named.toSorted(), [...STREAMS.prefixes, ...STREAMS.names].toSorted())
  const [, source = ''] = /const regex = `([^`]+)`/.exec(PROGRAM) ?? []
  const regex = new RegExp(source.replace(/\$\{prefix\}/, ''))
  for (const stream of named) t.true(regex.test(stream.endsWith('-') ? `${stream}x` : stream), stream)
  t.false(regex.test('vault-x') || regex.test('berth-log') || regex.test('usersToo'))
})
