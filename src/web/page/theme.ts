import { effect, type Signal, signal } from '@preact/signals'

/** Whether it is laid out for a phone: as the style sheets have it. */
export const isPhone = (): boolean => matchMedia('(width <= 640px)').matches

export type Theme = 'system' | 'light' | 'dark'

const KEPT = 'berth theme'
export const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const

export const openTheme = (): Signal<Theme> => {
  const kept = localStorage.getItem(KEPT)
  const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system')
  effect(() => {
    const { dataset } = document.documentElement
    if (theme.value === 'system') delete dataset.theme
    else dataset.theme = theme.value
    localStorage.setItem(KEPT, theme.value)
  })
  return theme
}
