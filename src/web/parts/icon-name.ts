/** The icons of `icons.json`. */
export type IconName = keyof typeof import('./icons.json')
