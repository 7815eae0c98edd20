import type { ExecutionContext } from 'ava'
import { startSut } from '../peers.ts'
import { forwarding, openAt, type Stage, type Viewer } from './stage.ts'

/** Attempts to open consoles of a SUT that answers nothing. */

export const given = async (
  t: ExecutionContext,
  environment: Readonly<Record<string, string>> = {},
): Promise<Stage> => {
  const sut = await startSut(t)
  return forwarding(t, { port: sut.port }, { environment })
}

export type Refused = readonly [status: number, code: unknown]

export const tryAt = async (...args: Parameters<typeof openAt>): Promise<Viewer | Refused> => {
  const opened = await openAt(...args)
  return 'refused' in opened ? [opened.refused, JSON.parse(opened.body).code] : opened
}

export const INVALID = [403, 'ticket_invalid'] as const
export const isOpen = (viewer: Viewer | Refused): boolean => 'socket' in viewer
