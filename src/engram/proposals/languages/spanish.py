"""Spanish. Words are compared without their accents, which many people leave out."""

from __future__ import annotations

from engram.proposals.languages.tables import Language, keyed, pairs, remembered, word_set
from engram.text.words import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container

__all__ = ["SPANISH"]

# Ends of verbs, the longest first; what is left is the stem that all forms of a verb share.
_VERB_ENDS = (
    "ariamos", "eriamos", "iriamos", "ieramos", "aramos", "aremos", "eremos", "iremos", "abamos", "iendo", "ieron",
    "amos", "emos", "imos", "ando", "aron", "aban", "aran", "eran", "iran", "aria", "eria", "iria", "ados", "idos",
    "adas", "idas", "ais", "eis", "ado", "ido", "ada", "ida", "aba", "ara", "era", "ira", "ar", "er", "ir", "an", "en",
    "as", "es", "os", "ad", "ed", "id", "a", "e", "o",
)  # fmt: skip
_REFLEXIVE = ("arse", "erse", "irse", "arlo", "arla", "erlo", "irlo", "arlos", "arlas")
_IRREGULAR = {
    "escrito": "escribir", "escrita": "escribir", "escritos": "escribir", "escritas": "escribir", "hecho": "hacer",
    "hecha": "hacer", "hechos": "hacer", "haga": "hacer", "hagas": "hacer", "hacemos": "hacer",
    "puesto": "poner", "puesta": "poner", "pon": "poner", "ponga": "poner", "pongas": "poner", "roto": "romper",
    "abierto": "abrir", "abierta": "abrir", "elige": "elegir", "elija": "elegir", "elijas": "elegir", "sube": "subir",
    "elegimos": "elegir", "tiene": "tener", "tienen": "tener", "ten": "tener", "tenga": "tener", "tengas": "tener",
    "despliegues": "desplegar", "despliegue": "desplegar", "prefiere": "preferir", "prefieras": "preferir",
    "mantiene": "mantener", "mantienen": "mantener", "mantengas": "mantener", "mantenga": "mantener",
    "manten": "mantener",
    "cierra": "cerrar", "cierran": "cerrar", "empieza": "empezar", "empiezan": "empezar", "dice": "decir",
    "di": "decir", "da": "dar", "das": "dar", "des": "dar", "den": "dar", "dan": "dar", "dad": "dar", "damos": "dar",
    "doy": "dar", "sal": "salir", "sales": "salir",
    "salen": "salir", "sale": "salir", "ve": "ir", "vayas": "ir", "vaya": "ir", "vayan": "ir",
    "vayamos": "ir", "vamos": "ir", "van": "ir", "id": "ir", "viene": "venir", "vienen": "venir", "vea": "ver",
    "reunete": "reunir", "reunios": "reunir", "reunanse": "reunir", "sientate": "sentar", "sentaos": "sentar",
    "sientense": "sentar", "quedate": "quedar", "quedaos": "quedar", "quedense": "quedar",
    "veas": "ver", "vean": "ver", "sepas": "saber", "sepa": "saber", "salid": "salir",
}  # fmt: skip

_SHORT_ORDERS = frozenset(
    ("ten", "pon", "ven", "manten", "obten", "deten", "conten", "sosten", "propon", "compon", "expon", "dispon",
     "supon", "repon", "impon", "interven")
)  # fmt: skip
# Stems in which an e of the infinitive is an i: pide, no pidas, pedir.
_STEMS = {
    "pid": "ped", "sig": "seg", "consig": "conseg", "elig": "eleg", "repit": "repet", "mid": "med", "sirv": "serv",
    "corrig": "correg", "impid": "imped", "despid": "desped", "compit": "compet", "rind": "rend", "vist": "vest",
    "dig": "dec", "dic": "dec", "pus": "pon", "hic": "hac",
}  # fmt: skip


@remembered
def _key(word: str) -> str:
    plain = fold(word)
    if len(plain) > 4 and plain.endswith("es") and plain[-3] not in "aeiou":
        plain = plain[:-2]
    elif len(plain) > 3 and plain.endswith("s"):
        plain = plain[:-1]
    return plain


@remembered
def _loose(word: str) -> str:
    plain = fold(word)
    if word.endswith(("tén", "pón", "vén")) or plain in _SHORT_ORDERS:
        plain += "er"  # mantén, propón, prevén; "-en" is no end there
    elif plain.endswith("haz"):
        plain = plain[:-1] + "cer"
    plain = _IRREGULAR.get(plain, plain)
    if plain.endswith(_REFLEXIVE):
        plain = plain[: plain.rindex("r") + 1] if plain.endswith("se") else plain[:-3].removesuffix("l")
    if plain.endswith("s") and len(plain) > 3 and plain[-2] not in "aeiou":
        plain = plain[:-1]  # commits
    for end in _VERB_ENDS:
        if plain.endswith(end) and len(plain) - len(end) >= 2:
            plain = plain[: -len(end)]
            break
    # despliega, desplegar; encuentra, encontrar; publique, publicar; cargue, cargar; comience, comenzar.
    if len(plain) > 3:
        plain = plain.replace("ie", "e").replace("que", "QUE").replace("ue", "o").replace("QUE", "que")
    if plain.endswith("qu"):
        plain = plain[:-2] + "c"
    elif plain.endswith("gu"):
        plain = plain[:-1]
    # What an order and its denial write differently: traduce, no traduzcas; recoge, no recojas; cruza, no cruces;
    # pon, no pongas; sal, no salgas; trae, no traigas; haz, no hagas.
    if plain.endswith("zc"):
        plain = plain[:-2] + "c"
    elif plain.endswith(("z", "j")):
        plain = plain[:-1] + {"z": "c", "j": "g"}[plain[-1]]
    elif plain.endswith(("ng", "lg")):
        plain = plain[:-1]
    elif plain.endswith("aig"):
        plain = plain[:-2]
    elif plain.endswith("hag"):
        plain = plain[:-1] + "c"
    return _STEMS.get(plain, plain)


def _verbs(text: str) -> Container[str]:
    return keyed(text, _loose)


_PHRASES = {
    "no olvides": "", "no te olvides de": "", "no olvidar": "", "nunca olvides": "", "no dejes de": "",
    "no dudes en": "",
    "sin excepción": "", "sin excepcion": "", "sin falta": "", "deja de": "NOT", "dejar de": "NOT", "dejad de": "NOT",
    "nunca": "NOT", "jamas": "NOT", "jamás": "NOT", "no": "NOT", "ningun": "NOT", "ningún": "NOT", "ninguna": "NOT",
    "ninguno": "NOT", "tampoco": "NOT", "ya no": "NOT", "no se debe": "MUST NOT", "no se deben": "MUST NOT",
    "no debe": "MUST NOT", "no deben": "MUST NOT", "no se puede": "MUST NOT", "no se pueden": "MUST NOT",
    "no puede": "MUST NOT", "no pueden": "MUST NOT", "no hay que": "MUST NOT", "nadie": "NOT",
    "bajo ningun concepto": "NOT",
    "bajo ningún concepto": "NOT", "en ningun caso": "NOT", "en ningún caso": "NOT", "queda prohibido": "MUST NOT",
    "esta prohibido": "BE prohibido", "no debemos": "MUST NOT", "no hacer": "NOT", "evitar": "evitar",
    "debe": "MUST", "deben": "MUST", "debemos": "MUST", "debería": "MUST", "deberia": "MUST", "deberían": "MUST",
    "se debe": "MUST", "se deben": "MUST", "hay que": "MUST", "tiene que": "MUST", "tienen que": "MUST",
    "tenemos que": "MUST", "ha de": "MUST", "han de": "MUST", "hemos de": "MUST", "debe ser": "BE", "deben ser": "BE",
    "es necesario": "MUST", "es obligatorio": "MUST", "hace falta": "MUST", "es preciso": "MUST",
    "no hace falta": "MUST NOT", "puede": "MAY", "pueden": "MAY", "se puede": "MAY",
    "se pueden": "MAY", "podemos": "MAY", "podría": "MAY", "recuerda": "", "asegúrate de": "", "asegurate de": "",
    "es": "BE", "son": "BE", "está": "BE", "están": "BE", "estan": "BE", "era": "BE", "eran": "BE",
    "fue": "BE", "fueron": "BE", "será": "BE", "sera": "BE", "serán": "BE", "ser": "BE", "estar": "BE", "=": "BE",
    "se llama": "BE", "se llaman": "BE", "queda": "BE", "quedan": "BE", "equivale a": "BE", "pasa a ser": "BE",
    "sea": "BE", "sean": "BE", "esté": "BE", "estén": "BE", "no esta": "NOT BE", "está en": "BE en", "esta en": "BE en",
    "porque": "BECAUSE", "ya que": "BECAUSE", "puesto que": "BECAUSE", "pues": "BECAUSE", "dado que": "BECAUSE",
    "debido a": "BECAUSE", "para que": "BECAUSE", "para evitar": "BECAUSE", "de lo contrario": "BECAUSE",
    "si no": "BECAUSE", "así": "BECAUSE", "asi": "BECAUSE", "de modo que": "BECAUSE", "para no": "BECAUSE NOT",
    "a fin de": "BECAUSE", "gracias a": "BECAUSE", "por culpa de": "BECAUSE", "incluso": "BECAUSE", "aunque": "BECAUSE",
    "ni siquiera": "BECAUSE", "desde que": "BECAUSE", "por seguridad": "BECAUSE", "con el fin de": "BECAUSE",
    "en lugar de": "INSTEAD", "en vez de": "INSTEAD", "y no": "INSTEAD", "antes que": "INSTEAD", "frente a": "INSTEAD",
    "pero no": "INSTEAD", "al menos": "LEAST", "como mínimo": "LEAST", "como minimo": "LEAST", "por lo menos": "LEAST",
    "un mínimo de": "LEAST", "como máximo": "MOST", "como maximo": "MOST", "a lo sumo": "MOST", "no más de": "MOST",
    "un máximo de": "MOST", "hasta": "hasta", "no mas de": "MOST", "menos de": "bajo", "más de": "sobre",
    "mas de": "sobre",
    "antes de": "antes", "despues de": "despues", "después de": "despues", "tras": "despues", "dentro de": "en",
    "a través de": "por", "a traves de": "por", "por medio de": "con", "mediante": "con", "por encima de": "sobre",
    "por debajo de": "bajo", "a partir de": "desde", "junto a": "con", "cada vez que": "cuando",
    "siempre que": "cuando",
    "en caso de": "si", "por defecto": "", "en todo momento": "", "de momento": "", "por ahora": "",
    "a partir de ahora": "",
    "por favor": "", "en general": "", "en paralelo": "paralelo", "en serie": "secuencial", "por ciento": "%",
    "hora del servidor": "hora servidor", "hora del sistema": "hora sistema", "hora del usuario": "hora usuario",
    "hora del cliente": "hora cliente", "zona horaria del usuario": "zona horaria usuario",
    "zona horaria del servidor": "zona horaria servidor", "zona horaria del cliente": "zona horaria cliente",
    "a las": "alas", "a la": "a", "salvo": "salvo",
    "excepto": "salvo", "menos": "menos", "para cada": "para", "en caso contrario": "BECAUSE", "por tanto": "BECAUSE",
}  # fmt: skip

_PREPOSITIONS = {
    word: word
    for word in word_set(
        "en a al de del con sin por para desde hasta sobre bajo entre según segun cuando si durante mientras antes"
        " despues alas salvo contra hacia como donde vía via"
    )
}
_PREPOSITIONS |= {"al": "a", "del": "de", "segun": "según", "via": "por", "vía": "por", "usando": "con",
                  "cada": "every"}  # fmt: skip

SPANISH = Language(
    code="es",
    phrases=_PHRASES,
    ends=frozenset(),
    fillers=word_set(
        """siempre también tambien solo sólo solamente unicamente únicamente actualmente ahora ya se lo le les
        todo toda todos todas cada cualquier cualesquiera estrictamente simplemente normalmente generalmente
        sencillamente hoy aquí aqui nos me te obligatoriamente necesariamente que haber hay"""
    ),
    articles=word_set(
        """el la los las un una unos unas este esta estos estas ese esa esos esas nuestro nuestra nuestros nuestras tu
        tus su sus mi mis cada todo toda todos todas cualquier lo"""
    ),
    people=word_set(
        """nosotros usted ustedes ellos equipo equipos proyecto repositorio empresa desarrolladores gente personas yo
        agentes agente todos nadie alguien código"""
    ),
    prepositions=_PREPOSITIONS,
    scopes=word_set("para de antes despues cuando si durante mientras según contra entre salvo donde como every"),
    choose=_verbs("usar utilizar emplear preferir elegir escoger adoptar"),
    settle=_verbs(
        """guardar almacenar poner escribir registrar enviar mandar desplegar publicar alojar colocar subir
        documentar llamar formatear indentar sangrar lanzar reportar serializar codificar cifrar encriptar firmar
        comprimir construir compilar instalar gestionar generar fusionar etiquetar autenticar validar medir vivir
        correr ejecutar escuchar residir mantener aprobar mover migrar cambiar facturar pagar servir hablar
        caducar expirar vencer devolver costar tardar durar abrir cerrar empezar comenzar terminar acabar ocurrir
        reintentar fijar configurar traducir probar ordenar separar contar programar planificar guardar importar
        persistir asignar trabajar empaquetar funcionar salir imprimir mostrar calcular expresar archivar dibujar
        hacer celebrar responder leer conservar retener limitar redondear quedar versionar esperar llegar rotar
        renovar exportar"""
    ),
    stays=_verbs(
        """reunir quedar aparcar estacionar sentar alojar vivir residir dormir esperar comer trabajar acampar
        juntar"""
    ),
    verbs=_verbs(
        """añadir agregar pedir comprobar revisar limpiar copiar crear cortar declarar borrar eliminar depender
        describir activar esperar exportar fallar seguir obtener dar tener ayudar ocultar incluir aumentar reducir
        informar unir enlazar listar mirar marcar mencionar necesitar notificar pasar pausar preparar producir
        proteger tirar encolar rebasar recibir rechazar recordar quitar renombrar repetir reemplazar requerir
        exigir reiniciar resolver restaurar reutilizar escalar ver buscar compartir parar detener soportar admitir
        aceptar sincronizar decir tocar lanzar intentar actualizar verificar avisar evitar conectar consumir
        convertir cubrir depurar detectar emitir escapar evaluar superar
        incrementar disminuir bajar alargar acortar exponer extender extraer filtrar vaciar
        congelar agrupar ignorar inyectar invocar bloquear montar anidar normalizar parchear consultar redirigir
        vender apagar dormir romper commitear hacer levantar mergear pushear llevar empujar transportar conducir
        mezclar ir venir salir traer proponer deshacer recoger elegir componer disponer imponer distinguir
        introducir corregir medir seguir conocer ofrecer producir cruzar analizar sustituir instruir destruir
        distribuir contribuir alzar organizar priorizar optimizar normalizar reutilizar sincronizar automatizar
        visualizar minimizar maximizar inicializar finalizar autorizar indexar cachear loguear debuggear testear
        deployar resetear comitear taguear forzar saltar confiar fiar delegar duplicar aplicar explicar indicar
        modificar simplificar especificar justificar apilar
        cargar descargar amontonar reunir aparcar estacionar sentar acampar juntar contener emplear alertar alinear
        alquilar anunciar arrastrar auditar cancelar citar clonar cobrar comentar comprar comunicar concatenar conceder
        contestar contratar decodificar dejar desbloquear descifrar descomprimir descontar desmontar despedir diseñar
        dividir editar entregar entrenar entrevistar envolver escanear estimar girar insertar invalidar invitar
        monitorizar nombrar paginar pintar purgar rastrear recortar reembolsar renderizar replicar respaldar resumir
        revertir revocar seleccionar simular soltar sumar suscribir transferir transmitir vigilar"""
    ),
    flips={
        _loose(word): _loose(positive)
        for word, positive in (
            ("evitar", ""),
            ("prohibir", ""),
            ("impedir", ""),
            ("vetar", ""),
            ("denegar", ""),
            ("desactivar", "activar"),
            ("deshabilitar", "activar"),
            ("rechazar", "aceptar"),
            ("excluir", "incluir"),
        )
    },
    grants=_verbs("permitir autorizar aceptable"),
    opposites=pairs(
        """antes/despues con/sin LEAST/MOST sobre/bajo verdadero/falso obligatorio/opcional público/privado
        abierto/cerrado síncrono/asíncrono manual/automático manualmente/automáticamente secuencial/paralelo
        lento/rápido mutable/inmutable estable/inestable seguro/inseguro diario/semanal diario/mensual
        semanal/mensual diariamente/semanalmente semanalmente/mensualmente horario/diario primero/último
        mayúsculas/minúsculas local/remoto requerido/opcional activado/desactivado gratuito/pago
        ascendente/descendente barato/caro relativo/absoluto interno/externo necesario/opcional firmado/anónimo""",
        _loose,
    ),
    contraries=pairs(
        """aumentar/reducir aumentar/disminuir aumentar/bajar incrementar/reducir incrementar/disminuir
        incrementar/bajar subir/bajar subir/reducir subir/disminuir alargar/acortar""",
        _loose,
    ),
    attributes=keyed(
        """límite puerto color versión nombre rama dueño dueña responsable encargado encargada mantenedor
        mantenedora día hora formato idioma lengua licencia región base editor tema estilo sangría indentación
        codificación moneda tamaño longitud ancho intervalo número cantidad umbral objetivo nivel servidor
        dirección ruta carpeta directorio prefijo sufijo plazo presupuesto precio coste costo tasa cuota capital
        sede oficina ubicación canal framework biblioteca librería herramienta formateador linter gestor proveedor
        estrategia política modo estado retraso ventana periodo edad máximo mínimo retención duración tiempo
        profundidad altura peso temperatura contraseña usuario cuenta contacto revisor revisora unidad separador
        delimitador convención estándar protocolo esquema motor registro cola clave rol fecha semana mes año
        trimestre piso planta sala plataforma dominio orden prioridad frecuencia compilador intérprete zona
        algoritmo modelo pasarela almacén origen destino raíz sistema método tablero proceso jefe jefa cliente
        lenguaje tipografía fuente timeout hosting""",
        _key,
    ),
    prefers=word_set("prefer mejor preferibl antepon INSTEAD"),
    clauses=word_set("que quien cuyo cuya cuando si porque mientras donde como"),
    key=_key,
    loose=_loose,
)
