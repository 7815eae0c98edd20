import type { Output } from './service/output.ts'

/** The version of Berth that this client belongs to. */
export const CLIENT_VERSION = '2.0.0'

const NODE_MIN = 20

/** Whether Node is new enough; says so if it is not. */
export const hasNewNode = (version: string, { stderr }: Output): boolean => {
  if (Number.parseInt(version, 10) >= NODE_MIN) return true
  stderr(`berth: this is Node ${version}; the client needs Node ${NODE_MIN} or later\n`)
  return false
}
