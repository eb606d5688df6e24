// Goldens that are not run in the browser's program, with the reason.

export const excluded = {
};
