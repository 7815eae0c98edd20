import { effect, type Signal, signal } from '@preact/signals'

/** Whether it is laid out for a phone: as the style sheets have it. */
export const isPhone = (): boolean => matchMedia('(width <= 640px)').matches

export type Theme = 'system' | 'light' | 'dark'

const KEPT = 'berth theme'
export const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const

const apply = (theme: Theme): void => {
  const { dataset } = document.documentElement
  if (theme === 'system') delete dataset.theme
  else dataset.theme = theme
}

export const openTheme = (): Signal<Theme> => {
  const kept = localStorage.getItem(KEPT)
  const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system')
  effect(() => {
    apply(theme.value)
    localStorage.setItem(KEPT, theme.value)
  })
  return theme
}
