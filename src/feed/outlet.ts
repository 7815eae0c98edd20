import type { ServerResponse } from 'node:http'

/** Something that is waited for, and rung when it may have come; a ring that nobody waited for yet is kept. */
export interface Bell {
  readonly ring: () => void
  readonly wait: () => Promise<void>
}

export const makeBell = (): Bell => {
  let isRung = false
  let resume: () => void = () => undefined
  return {
    ring: () => {
      isRung = true
      resume()
    },
    wait: async () => {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          resume = resolve
        })
      }
      isRung = false
    },
  }
}

/** A connection that takes what is written and says when it takes no more. */
export interface Outlet {
  /** When it took no more, as `performance.now()` has it; undefined while there is room. */
  readonly fullSince: () => number | undefined
  readonly write: (bytes: string | Buffer) => void
}

/** @param onRoom called when everything written has been taken */
export const makeOutlet = (response: ServerResponse, onRoom: () => void): Outlet => {
  let fullSince: number | undefined
  response.on('drain', () => {
    fullSince = undefined
    onRoom()
  })
  return {
    fullSince: () => fullSince,
    write: (bytes) => {
      if (bytes.length > 0 && !response.write(bytes)) fullSince ??= performance.now()
    },
  }
}
