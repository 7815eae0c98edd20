import type { ExecutionContext } from 'ava'
import { openCheckpoint } from '../../src/audit/checkpoint.ts'
import { readVerifier } from '../../src/audit/signed-note.ts'
import { type } from '../command-line/terminal.ts'
import { type Running, start } from '../http/harness.ts'
import { createSut, NOW } from '../http/requests.ts'
import { rightOf } from '../users/builders.ts'

/** A service with some SUTs of two events each, and the environment of its commands. */
export const given = async (t: ExecutionContext, suts = 4, environment: Readonly<Record<string, string>> = {}) => {
  const service = await start(t, { now: NOW, environment })
  for (let n = 0; n < suts; n++) await createSut(service.as('admin'))
  return { service, env: { BERTH_DATA: service.data, ...environment } }
}

const verifierIn = async (env: Readonly<Record<string, string>>) =>
  rightOf(readVerifier((await type(['audit', 'key'], env)).out.trim()))

export const checkpointOf = async (service: Running, env: Readonly<Record<string, string>>) => {
  const answer = await service.as('audrey').get('/api/audit/checkpoint')
  return { ...rightOf(openCheckpoint(answer.text, await verifierIn(env))), answer }
}
