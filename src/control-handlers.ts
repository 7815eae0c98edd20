import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import type { Config } from './config.ts'
import { CONTROL_SOCKET, type ControlHandler, openControlSocket, whyNoSocket } from './control/socket.ts'
import { formatMilliseconds } from './domain/instant.ts'
import type { Parts } from './parts.ts'
import type { World } from './world.ts'

const handlersOf = ({ clock }: World, { guard }: Parts): Readonly<Record<string, ControlHandler>> => ({
  'clock confirm': async () => {
    guard.confirm()
    return E.right({ time: formatMilliseconds(clock()) })
  },
})

/** Takes the commands that are typed beside the service. Returns what ends that. */
export const listenForCommands = async (
  { data }: Pick<Config, 'data'>,
  world: World,
  parts: Parts,
): Promise<() => Promise<void>> => {
  const path = join(data, CONTROL_SOCKET)
  const why = whyNoSocket(path)
  if (why !== undefined) {
    world.log.warn({ path, why }, 'commands cannot reach this service; give BERTH_DATA a shorter path')
    return async () => undefined
  }
  const onError = (err: unknown): void => world.log.error({ err }, 'a command typed beside the service failed')
  return openControlSocket({ path, handlers: handlersOf(world, parts), onError })
}
