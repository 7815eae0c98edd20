import { makeStore, type Store } from '../parts/store.ts'

export type Theme = 'system' | 'light' | 'dark'

const KEPT = 'berth theme'
const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const

const apply = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

/** The theme of this browser. */
export const openTheme = (): Store<Theme> & { readonly next: () => void } => {
  const kept = localStorage.getItem(KEPT)
  const theme = makeStore<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system')
  apply(theme.get())
  theme.watch((value) => {
    apply(value)
    localStorage.setItem(KEPT, value)
  })
  return { ...theme, next: () => theme.update((value) => NEXT[value]) }
}
