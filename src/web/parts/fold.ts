/** A text as it is compared where case and forms of letters do not matter. */
export const fold = (text: string): string => text.normalize('NFKD').toLowerCase().toUpperCase().normalize('NFKC')
