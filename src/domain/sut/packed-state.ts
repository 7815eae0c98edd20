import { calendarBytes, fromDirectory, toDirectory } from '../calendar/calendar.ts'
import type { Packed } from '../calendar/page.ts'
import { runsFromDirectory, runsToDirectory } from '../calendar/sorted-runs.ts'
import { recordsBytes } from '../idempotency-records.ts'
import type { SutState } from './state.ts'

/** Bytes of a state without its pages, assuming tags and values of typical length. */
const SMALL_BYTES = 2_048

/** Bytes of memory a SUT's state takes. */
export const sutWeight = ({ windows, keys }: SutState): number =>
  SMALL_BYTES + calendarBytes(windows) + recordsBytes(keys)

/** Page metadata, stored in the snapshot in place of windows and keys. */
interface Directories {
  readonly windows: readonly (readonly number[])[]
  readonly keys: readonly (readonly number[])[]
}

export const packSut = (state: SutState): Packed => {
  const { windows, keys } = state
  const directories: Directories = { windows: toDirectory(windows), keys: runsToDirectory(keys) }
  return {
    text: JSON.stringify({ ...state, ...directories }),
    pages: [...windows.pages, ...keys].map(({ page }) => page),
  }
}

export const unpackSut = ({ text, pages }: Packed): SutState => {
  const { windows, keys, ...state } = JSON.parse(text) as Omit<SutState, keyof Directories> & Directories
  return {
    ...state,
    windows: fromDirectory(windows, pages.slice(0, windows.length)),
    keys: runsFromDirectory(keys, pages.slice(windows.length)),
  } as SutState
}
