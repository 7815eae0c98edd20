export const fold = (text: string): string => text.normalize('NFKD').toLowerCase().toUpperCase().normalize('NFKC')
