import type RFB from '@novnc/novnc'
import { loadLater } from '../../page/later.tsx'
import type { Api } from '../../service/api.ts'
import type { ConsoleEnd } from './endings.ts'

interface Handlers {
  readonly onConnected: (rfb: RFB) => void
  /** Called where Berth has no password of the machine, or a wrong one. */
  readonly onAsked: (rfb: RFB, isUserNameNeeded: boolean) => void
  readonly onClipboard: (text: string) => void
  readonly onEnded: (ending: ConsoleEnd) => void
}

/** Close codes after which the connection is made again by itself: the service stops, and the network failed. */
const AGAIN: ReadonlySet<number> = new Set([1001, 1006])
/** Close codes of a reservation that is over, or was released. */
const OVER: ReadonlySet<number> = new Set([4000, 4001])
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000]
const TRIES_MAX = 30

export const isMadeAgain = (ending: ConsoleEnd, tries: number): boolean => {
  if (tries >= TRIES_MAX) return false
  if (ending.kind === 'closed') return AGAIN.has(ending.code)
  return ending.kind === 'refused' && (ending.refused.status === 0 || ending.refused.status === 503)
}

export const waitBefore = (tries: number): number =>
  RETRY_DELAYS_MS[Math.min(tries, RETRY_DELAYS_MS.length - 1)] as number

/** Opens the screen of a machine in an element. The returned function closes it. */
export const openConsole = (
  api: Api,
  reservationId: string,
  target: HTMLElement,
  { onConnected, onAsked, onClipboard, onEnded }: Handlers,
): (() => void) => {
  const path = `/api/sut_reservation/${reservationId}/console` as const
  let isClosed = false
  let rfb: RFB | undefined
  const end = (ending: ConsoleEnd): void => {
    if (isClosed) return
    isClosed = true
    rfb = undefined
    onEnded(ending)
  }
  /** A code says that a reservation is over, the refusal of another console how it ended. */
  const askWhy = async (code: number): Promise<ConsoleEnd> => {
    if (!OVER.has(code)) return { kind: 'closed', code }
    const { refused } = await api.post(path)
    return refused && /^reservation_/.test(refused.problem.code)
      ? { kind: 'refused', refused }
      : { kind: 'closed', code }
  }
  const open = async (): Promise<void> => {
    const [{ value, refused }, novnc] = await Promise.all([api.post(path), loadLater(() => import('@novnc/novnc'))])
    if (isClosed) return
    if (refused !== undefined) return end({ kind: 'refused', refused })
    if (novnc === undefined) return end({ kind: 'updated' })
    const socket = new WebSocket(new URL(value.url, location.href.replace(/^http/, 'ws')), ['binary'])
    // noVNC does not tell the code.
    socket.addEventListener('close', ({ code }) => void askWhy(code).then(end))
    const made = new novnc.default(target, socket)
    rfb = made
    made.background = 'transparent'
    made.addEventListener('connect', () => onConnected(made))
    made.addEventListener('credentialsrequired', ({ detail }) => onAsked(made, detail.types.includes('username')))
    made.addEventListener('securityfailure', ({ detail }) => end({ kind: 'barred', reason: detail.reason }))
    // Nobody could compare the key that a machine shows here. A viewer knows it from the time before.
    made.addEventListener('serververification', () => {
      end({ kind: 'barred', reason: 'It asks to verify its key, which needs a viewer app.' })
      made.disconnect()
    })
    made.addEventListener('clipboard', ({ detail }) => onClipboard(detail.text))
  }
  void open()
  return () => {
    isClosed = true
    rfb?.disconnect()
  }
}
