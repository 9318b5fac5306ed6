/* The build follows; until the first command exists there is nothing to bundle. */
