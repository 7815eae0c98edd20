import type RFB from '@novnc/novnc'
import { useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import { loadLater } from '../../page/later.tsx'
import type { Api } from '../../service/api.ts'
import type { ConsoleEnd } from './endings.ts'

/** What the machine wants to know of whom. */
export interface Asked {
  readonly rfb: RFB
  readonly isUserNameNeeded: boolean
}

interface Connected {
  readonly rfb: RFB | undefined
  readonly ending: ConsoleEnd | undefined
  readonly clipboard: string
  /** Set while the machine wants to know a password: Berth has none, or a wrong one. */
  readonly asked: Asked | undefined
}

const NOTHING: Connected = { rfb: undefined, ending: undefined, clipboard: '', asked: undefined }

/** Close codes after which the connection is made again by itself: the service stops, and the network failed. */
const AGAIN: ReadonlySet<number> = new Set([1001, 1006])
/** Close codes of a reservation that is over, or was released. */
const OVER: ReadonlySet<number> = new Set([4000, 4001])
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000]
const RETRY_DELAY_MAX_MS = 10_000
const TRIES_MAX = 30

const isMadeAgain = (ending: ConsoleEnd, tries: number): boolean => {
  if (tries >= TRIES_MAX) return false
  if (ending.kind === 'closed') return AGAIN.has(ending.code)
  return ending.kind === 'refused' && (ending.refused.status === 0 || ending.refused.status === 503)
}

/** Opens the screen of a machine in an element, and tells what becomes of it. The returned function closes it. */
const openConsole = (
  api: Api,
  reservationId: string,
  target: HTMLElement,
  tell: (part: Partial<Connected>) => void,
): (() => void) => {
  const path = `/api/sut_reservation/${reservationId}/console` as const
  let isClosed = false
  let rfb: RFB | undefined
  const end = (ending: ConsoleEnd): void => {
    if (isClosed) return
    isClosed = true
    rfb = undefined
    tell({ ...NOTHING, ending })
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
    made.addEventListener('connect', () => tell({ ...NOTHING, rfb: made }))
    made.addEventListener('credentialsrequired', ({ detail }) =>
      tell({ asked: { rfb: made, isUserNameNeeded: detail.types.includes('username') } }),
    )
    made.addEventListener('securityfailure', ({ detail }) => end({ kind: 'barred', reason: detail.reason }))
    // Nobody could compare the key that a machine shows here. A viewer knows it from the time before.
    made.addEventListener('serververification', () => {
      end({ kind: 'barred', reason: 'It asks to verify its key, which needs a viewer app.' })
      made.disconnect()
    })
    made.addEventListener('clipboard', ({ detail }) => tell({ clipboard: detail.text }))
  }
  void open()
  return () => {
    isClosed = true
    rfb?.disconnect()
  }
}

/** Keeps a screen open: made again by itself after what passes, until the component goes. */
export const useConsole = (id: string, target: { readonly current: HTMLElement | null }) => {
  const { api } = usePage()
  const [state, set] = useState<Connected>(NOTHING)
  const [attempt, setAttempt] = useState(0)
  const tries = useRef(0)
  useEffect(() => {
    if (target.current === null) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    set((before) => ({ ...NOTHING, ending: before.ending }))
    const close = openConsole(api, id, target.current, (part) => {
      set((before) => ({ ...before, ...part }))
      if (part.rfb !== undefined) tries.current = 0
      if (part.ending === undefined || !isMadeAgain(part.ending, tries.current)) return
      timer = setTimeout(() => setAttempt((n) => n + 1), RETRY_DELAYS_MS[tries.current] ?? RETRY_DELAY_MAX_MS)
      tries.current += 1
    })
    return () => {
      clearTimeout(timer)
      close()
    }
  }, [id, attempt])
  const again = (): void => {
    tries.current = 0
    set((before) => ({ ...before, ending: undefined }))
    setAttempt((before) => before + 1)
  }
  return { ...state, isMadeAgain: state.ending !== undefined && isMadeAgain(state.ending, tries.current), again }
}
