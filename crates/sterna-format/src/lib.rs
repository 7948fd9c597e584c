//! Weight encodings of the Sterna engine: block layouts, scalar decode and encode, integer views.
