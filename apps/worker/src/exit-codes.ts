/**
 * How the process ends: 0 stopped in good order; 1 something had to be cut, or a second signal came; 70 (EX_SOFTWARE) a
 * fault of the program or of the application that it loads; 78 (EX_CONFIG) the configuration is not valid, a refused
 * password included.
 */
export const exitCodes = { clean: 0, cut: 1, software: 70, configuration: 78 } as const;
