import type RFB from '@novnc/novnc'
import { useEffect, useRef, useState } from 'preact/hooks'
import { usePage } from '../../page/context.ts'
import { isMadeAgain, openConsole, waitBefore } from './console.ts'
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
  /** Set while the machine wants to know a password. */
  readonly asked: Asked | undefined
}

const NOTHING: Connected = { rfb: undefined, ending: undefined, clipboard: '', asked: undefined }

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
    const close = openConsole(api, id, target.current, {
      onConnected: (rfb) => {
        tries.current = 0
        set({ ...NOTHING, rfb })
      },
      onAsked: (rfb, isUserNameNeeded) => set((before) => ({ ...before, asked: { rfb, isUserNameNeeded } })),
      onClipboard: (clipboard) => set((before) => ({ ...before, clipboard })),
      onEnded: (ending) => {
        set({ ...NOTHING, ending })
        if (!isMadeAgain(ending, tries.current)) return
        timer = setTimeout(() => setAttempt((before) => before + 1), waitBefore(tries.current))
        tries.current += 1
      },
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
