// What the browser keeps for the next visit; where it keeps nothing, the page works without.

export function remember(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch { /* full or forbidden */ }
}

export function recall(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function forget(key: string): void {
  try {
    localStorage.removeItem(key);
  } catch { /* forbidden */ }
}
